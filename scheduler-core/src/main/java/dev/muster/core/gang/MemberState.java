package dev.muster.core.gang;

import java.time.Instant;
import java.util.Optional;

/// Where a pod stands, as far as scheduling is concerned.
public sealed interface MemberState {
  /// Not to be scheduled yet.
  ///
  /// @param byOthers whether somebody else's scheduling gate holds it too, so that we may not count
  ///   on it
  record Held(boolean byOthers) implements MemberState {}

  /// Free for kube-scheduler to bind.
  ///
  /// @param nominated the node that the pod's status nominates
  /// @param refused whether kube-scheduler has said that it cannot schedule the pod
  record Waiting(Optional<NodeId> nominated, boolean refused) implements MemberState {}

  /// Bound to a node, whether its containers run yet or not.
  ///
  /// @param since when it was bound, as the pod says
  record Bound(NodeId node, Instant since) implements MemberState {}

  /// Being deleted; it holds its node's resources until it is gone.
  record Leaving(Optional<NodeId> node) implements MemberState {}

  /// Over; it holds nothing any more.
  record Ended(boolean succeeded) implements MemberState {}

  /// The node whose resources the pod holds, if any.
  default Optional<NodeId> occupies() {
    if (this instanceof Bound bound) {
      return Optional.of(bound.node);
    }
    return this instanceof Leaving leaving ? leaving.node : Optional.empty();
  }
}
