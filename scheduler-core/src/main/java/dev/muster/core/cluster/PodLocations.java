package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState.Occupant;
import java.util.Optional;

/// Where each pod that holds resources sits, the pods on nodes that are not there included.
///
/// @param byPod the seat of each pod
/// @param unhoused what the pods take on nodes that were not seen yet or are gone, by node: a node
///   that appears finds its pods here
public record PodLocations(
    SortedTable<MemberId, PodLocation> byPod,
    SortedTable<NodeId, SortedTable<MemberId, Occupant>> unhoused) {
  /// What a pod takes, and where.
  public record PodLocation(NodeId node, Occupant share) {
    /// That of the pod, if it holds the resources of a node.
    static Optional<PodLocation> of(Member pod) {
      Optional<NodeId> node = pod.node();
      return node.isPresent()
          ? Optional.of(new PodLocation(node.get(), Occupant.of(pod.request())))
          : Optional.empty();
    }
  }

  static final PodLocations NONE = new PodLocations(SortedTable.empty(), SortedTable.empty());

  /// The seat of the pod, if it holds any resources.
  public Optional<PodLocation> get(MemberId pod) {
    return byPod.get(pod);
  }

  PodLocations with(MemberId pod, Optional<PodLocation> location) {
    return new PodLocations(byPod.with(pod, location), unhoused);
  }

  /// The pod takes its share of a node that is not there.
  PodLocations unhousing(MemberId pod, PodLocation location) {
    return unhousing(location.node(), pods(location.node()).with(pod, location.share()));
  }

  /// The pod takes nothing any more of a node that is not there.
  PodLocations unhousedLeft(MemberId pod, NodeId node) {
    return unhousing(node, pods(node).without(pod));
  }

  /// The pods on the node, which is not there, are these.
  PodLocations unhousing(NodeId node, SortedTable<MemberId, Occupant> pods) {
    return new PodLocations(byPod, pods.isEmpty() ? unhoused.without(node) : unhoused.with(node, pods));
  }

  /// What the pods take on a node that is not there.
  SortedTable<MemberId, Occupant> pods(NodeId node) {
    return unhoused.get(node).orElse(SortedTable.empty());
  }
}
