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
  /// @param message reasons of kube-scheduler for that, without numbers and without Muster's own
  /// @param nodes number of nodes that kube-scheduler knew then, if it says so
  record Waiting(
      Optional<NodeId> nominated,
      boolean refused,
      Optional<String> message,
      Optional<Integer> nodes)
      implements MemberState {
    /// Creates a pod of which kube-scheduler has given no reason.
    public Waiting(Optional<NodeId> nominated, boolean refused) {
      this(nominated, refused, Optional.empty(), Optional.empty());
    }

    /// True if kube-scheduler refused the pod before it knew all nodes. After an outage its list of
    /// nodes can be a minute behind.
    ///
    /// @param all number of nodes in the cluster
    public boolean isPremature(int all) {
      return refused && nodes.filter(known -> known < all).isPresent();
    }
  }

  /// A pod bound to a node, with or without running containers.
  ///
  /// @param since time of binding, from the pod's status
  record Bound(NodeId node, Instant since) implements MemberState {}

  /// A pod that is being deleted. It holds the resources of its node until it ends or is gone.
  ///
  /// @param node its node; absent if it never had one, or has ended
  /// @param due end of its grace period, if known; absent if it has ended
  record Leaving(Optional<NodeId> node, Optional<Instant> due) implements MemberState {
    /// Creates a pod that has ended while it is being deleted. It was stopped, so this is not the
    /// end of its work.
    public static Leaving ended() {
      return new Leaving(Optional.empty());
    }

    /// Creates a pod with an unknown grace period.
    public Leaving(Optional<NodeId> node) {
      this(node, Optional.empty());
    }

    /// True if it has ended, or holds a node until it does. A pod that never had a node has not
    /// run.
    public boolean hasRun() {
      return node.isPresent() || due.isEmpty();
    }
  }

  /// A finished pod. It holds no resources.
  ///
  /// @param early the failure, if it failed so early that its node may be the cause
  record Ended(boolean succeeded, Optional<EarlyFailure> early) implements MemberState {
    /// Creates a finished pod whose end says nothing about its node.
    public Ended(boolean succeeded) {
      this(succeeded, Optional.empty());
    }
  }

  /// The failure of a pod at its start.
  ///
  /// @param node node of the pod
  /// @param rejected true if no container started: the kubelet rejected the pod
  record EarlyFailure(NodeId node, boolean rejected) {}

  /// Returns the node whose resources the pod holds, if any.
  default Optional<NodeId> occupies() {
    if (this instanceof Bound bound) {
      return Optional.of(bound.node);
    }
    return this instanceof Leaving leaving ? leaving.node : Optional.empty();
  }
}
