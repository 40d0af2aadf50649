package dev.muster.simulator.world;

import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;

/// Stands for kube-scheduler: says whether a pod that is nominated to a node is bound there.
@FunctionalInterface
public interface Binder {
  /// Follows every nomination.
  Binder OBEDIENT = (_, _) -> true;

  /// Whether the pod is bound to the node it is nominated to.
  boolean binds(MemberId pod, NodeId nominated);
}
