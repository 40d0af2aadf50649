package dev.muster.core.cluster;

import dev.muster.core.cluster.PodLocations.PodLocation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.NodeShare;
import java.util.Optional;

/// The pod locations of a [ClusterBuilder], kept consistent with the load of its nodes.
///
/// A pod may be on a node that was not seen yet. Its share is kept until the node appears.
final class PodLocationEdits {
  private final NodeInventory nodes;
  private PodLocations locations;

  PodLocationEdits(NodeInventory nodes, PodLocations locations) {
    this.nodes = nodes;
    this.locations = locations;
  }

  PodLocations locations() {
    return locations;
  }

  Optional<PodLocation> get(MemberId pod) {
    return locations.get(pod);
  }

  /// Returns the gang that has the pod on a node.
  Optional<GangId> gangOf(MemberId pod) {
    return get(pod).flatMap(PodLocation::gang);
  }

  /// Moves the pod to this location, or off its node without one.
  void move(MemberId pod, Optional<PodLocation> seen) {
    Optional<PodLocation> before = locations.get(pod);
    Optional<PodLocation> location =
        before.isPresent() && before.get().promised()
            ? seen.map(at -> at.node().equals(before.get().node()) ? at.asPromised() : at)
            : seen;
    if (!before.equals(location)) {
      if (before.isPresent()) {
        leave(pod, before.get().node());
      }
      if (location.isPresent()) {
        occupy(pod, location.get());
      }
      locations = locations.with(pod, location);
    }
  }

  /// Takes the pod off its node, unless another gang than this one has it now.
  void leave(GangId gang, MemberId pod) {
    Optional<GangId> now = gangOf(pod);
    if (now.isEmpty() || now.get().equals(gang)) {
      move(pod, Optional.empty());
    }
  }

  private void leave(MemberId pod, NodeId node) {
    if (!nodes.change(node, state -> state.leftBy(pod))) {
      locations = locations.unhousedLeft(pod, node);
    }
  }

  private void occupy(MemberId pod, PodLocation location) {
    if (!nodes.change(location.node(), state -> state.occupiedBy(pod, location.share()))) {
      locations = locations.unhousing(pod, location);
    }
  }

  /// Binds the pod to the share that was promised to it.
  ///
  /// It changes the node once and leaves its free capacity as it was.
  void bindAsPromised(MemberId pod, PodLocation location) {
    nodes.change(location.node(), state -> state.settledBy(pod, location.share()));
    locations = locations.with(pod, Optional.of(location.asPromised()));
  }

  /// Removes the pod's location. Its node, if it exists, was changed before.
  void release(MemberId pod) {
    Optional<PodLocation> location = locations.get(pod);
    if (location.isPresent() && !nodes.contains(location.get().node())) {
      locations = locations.unhousedLeft(pod, location.get().node());
    }
    locations = locations.with(pod, Optional.empty());
  }

  /// Restores the pod's former location. Its node, if it exists, was changed before.
  void restore(MemberId pod, Optional<PodLocation> location) {
    if (location.isPresent() && !nodes.contains(location.get().node())) {
      locations = locations.unhousing(pod, location.get());
    }
    locations = locations.with(pod, location);
  }

  // ---- Nodes that appear and go ----

  /// Returns the new node with the pods that were bound to it before it was seen.
  NodeState withPods(NodeState bare) {
    NodeState state = bare;
    for (var pod : locations.pods(bare.id()).entries()) {
      state = state.occupiedBy(pod.key(), pod.value());
    }
    return state;
  }

  /// Drops the separate shares of a node's pods: the node now keeps them itself.
  void nodeAppeared(NodeId node) {
    locations = locations.unhousing(node, SortedTable.empty());
  }

  /// Keeps the shares of a removed node's pods in case it comes back.
  void nodeGone(NodeId node, SortedTable<MemberId, NodeShare> pods) {
    locations = locations.unhousing(node, pods);
  }
}
