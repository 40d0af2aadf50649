package dev.muster.simulator.run.engine;

import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;

/// Stands for kube-scheduler: decides whether a pod is bound to the node it is nominated to.
@FunctionalInterface
public interface PodBinder {
  /// Binds every pod to its nominated node.
  PodBinder ALWAYS = (_, _) -> true;

  /// Whether the pod is bound to the node it is nominated to.
  boolean binds(MemberId pod, NodeId nominated);
}
