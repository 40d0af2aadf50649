package dev.muster.core.cluster;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;

/// Builds images in which some pods are off their nodes, or back on them.
///
/// A node changes once for all of its pods.
public final class WhatIf {
  private WhatIf() {}

  /// Returns the image without these members of the gang on their nodes.
  ///
  /// Their promises and their usage are removed, too.
  public static Cluster without(Cluster image, GangId gang, Iterable<MemberId> members) {
    ClusterBuilder left = onNodes(image, locations(members, image), NodeState::leftBy);
    for (MemberId pod : members) {
      left.release(pod);
      left.endPromise(gang, pod);
      left.charge(image.gang(gang), pod, Optional.empty());
    }
    return left.image();
  }

  /// Returns the image with these members of the gang where they are in another image.
  ///
  /// @param before the image in which they have their nodes
  public static Cluster with(
      Cluster image, GangId gang, Iterable<MemberId> members, Cluster before) {
    ClusterBuilder back =
        onNodes(
            image,
            locations(members, before),
            (node, pod) -> node.occupiedBy(pod, before.locations().get(pod).orElseThrow().share()));
    for (MemberId pod : members) {
      back.relocate(pod, before.locations().get(pod));
      back.charge(before.gang(gang), pod, before.ledger().podUsages().get(pod));
    }
    return back.image();
  }

  /// Returns the image with these pods, and promises to them, off their nodes.
  ///
  /// Pod locations and the usage ledger stay unchanged. That suffices for a placement search, and
  /// is cheap.
  ///
  /// @param pods by node
  public static Cluster emptied(Cluster image, Map<NodeId, List<MemberId>> pods) {
    return onNodes(image, pods, (node, pod) -> node.leftBy(pod).unpromisedTo(pod)).image();
  }

  /// Returns the image with each of these nodes changed for each of its pods.
  private static ClusterBuilder onNodes(
      Cluster image,
      Map<NodeId, List<MemberId>> pods,
      BiFunction<NodeState, MemberId, NodeState> change) {
    ClusterBuilder builder = new ClusterBuilder(image);
    pods.forEach((id, here) ->
        builder.change(
            id,
            node -> {
              NodeState after = node;
              for (MemberId pod : here) {
                after = change.apply(after, pod);
              }
              return after;
            }));
    return builder;
  }

  /// Returns the pods with a location, by node.
  private static Map<NodeId, List<MemberId>> locations(Iterable<MemberId> members, Cluster image) {
    TreeMap<NodeId, List<MemberId>> byNode = new TreeMap<>();
    for (MemberId pod : members) {
      image
          .locations()
          .get(pod)
          .ifPresent(
              location -> byNode.computeIfAbsent(location.node(), _ -> new ArrayList<>()).add(pod));
    }
    return byNode;
  }
}
