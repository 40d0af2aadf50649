package dev.muster.simulator.run.engine;

import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;

/// Decides if a pod is bound to its nominated node, in the place of kube-scheduler.
@FunctionalInterface
public interface PodBinder {
  /// Binds every pod to its nominated node.
  PodBinder ALWAYS = (_, _) -> true;

  /// True if the pod is bound to its nominated node.
  boolean binds(MemberId pod, NodeId nominated);
}
