package dev.muster.core.gang;

import java.time.Instant;
import java.util.Optional;

/// The scheduling state of a pod.
public sealed interface MemberState {
  /// A pod held by a scheduling gate; it is not to be scheduled yet.
  ///
  /// @param byOthers true if a gate of another controller holds it too, so the gang cannot count on
  ///   it
  record Held(boolean byOthers) implements MemberState {}

  /// A pod that kube-scheduler may bind.
  ///
  /// @param nominated the node that the pod's status nominates
  /// @param refused true if kube-scheduler has reported the pod as unschedulable
  record Waiting(Optional<NodeId> nominated, boolean refused) implements MemberState {}

  /// A pod bound to a node, with or without running containers.
  ///
  /// @param since time of binding, from the pod's status
  record Bound(NodeId node, Instant since) implements MemberState {}

  /// A pod that is being deleted. It holds the resources of its node until it is gone.
  record Leaving(Optional<NodeId> node) implements MemberState {}

  /// A finished pod. It holds no resources.
  record Ended(boolean succeeded) implements MemberState {}

  /// Returns the node whose resources the pod holds, if any.
  default Optional<NodeId> occupies() {
    if (this instanceof Bound bound) {
      return Optional.of(bound.node);
    }
    return this instanceof Leaving leaving ? leaving.node : Optional.empty();
  }
}
