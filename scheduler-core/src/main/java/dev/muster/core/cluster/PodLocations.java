package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState.NodeShare;
import java.util.Optional;

/// The locations of all pods that use resources, also on nodes that do not exist.
///
/// @param byPod location of each pod
/// @param unhoused shares of pods on nodes that were not seen yet or are gone, by node; a node that
///   appears takes its pods from here
public record PodLocations(
    SortedTable<MemberId, PodLocation> byPod,
    SortedTable<NodeId, SortedTable<MemberId, NodeShare>> unhoused) {
  /// The node of a pod and its share there.
  ///
  /// @param gang gang that has the pod; absent for an unmanaged pod
  /// @param promised whether the pod was bound to a node that was promised to it
  public record PodLocation(NodeId node, NodeShare share, Optional<GangId> gang, boolean promised) {
    PodLocation(NodeId node, NodeShare share) {
      this(node, share, Optional.empty(), false);
    }

    /// Returns this location of a pod that was bound to its promised node.
    PodLocation asPromised() {
      return new PodLocation(node, share, gang, true);
    }

    /// Returns the location of the pod, if it uses resources of a node.
    static Optional<PodLocation> of(Member pod) {
      Optional<NodeId> node = pod.node();
      return node.isPresent()
          ? Optional.of(
              new PodLocation(
                  node.get(), NodeShare.of(pod.request()), Optional.of(pod.gang()), false))
          : Optional.empty();
    }
  }

  static final PodLocations NONE = new PodLocations(SortedTable.empty(), SortedTable.empty());

  /// Returns the location of the pod, if it uses any resources.
  public Optional<PodLocation> get(MemberId pod) {
    return byPod.get(pod);
  }

  PodLocations with(MemberId pod, Optional<PodLocation> location) {
    return new PodLocations(byPod.with(pod, location), unhoused);
  }

  /// Returns the locations with the pod's share of an absent node added.
  PodLocations unhousing(MemberId pod, PodLocation location) {
    return unhousing(location.node(), pods(location.node()).with(pod, location.share()));
  }

  /// Returns the locations with the pod's share of an absent node removed.
  PodLocations unhousedLeft(MemberId pod, NodeId node) {
    return unhousing(node, pods(node).without(pod));
  }

  /// Returns the locations with these pods on an absent node.
  PodLocations unhousing(NodeId node, SortedTable<MemberId, NodeShare> pods) {
    return new PodLocations(
        byPod, pods.isEmpty() ? unhoused.without(node) : unhoused.with(node, pods));
  }

  /// Returns the shares of the pods on an absent node.
  SortedTable<MemberId, NodeShare> pods(NodeId node) {
    return unhoused.get(node).orElse(SortedTable.empty());
  }
}
