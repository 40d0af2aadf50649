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

/// Images in which some members of a gang are gone from their nodes, or back on them: a node
/// changes once for all of them.
public final class WhatIf {
  private WhatIf() {}

  /// The image as it would be without these members of the gang on their nodes, without promises to
  /// them, and without what is charged for them.
  public static Cluster without(Cluster image, GangId gang, Iterable<MemberId> members) {
    ClusterBuilder left = onNodes(image, seats(members, image), NodeState::leftBy);
    for (MemberId pod : members) {
      left.unseat(pod);
      left.endPromise(gang, pod);
      left.charge(image.gang(gang), pod, Optional.empty());
    }
    return left.image();
  }

  /// The image with these members of the gang where they are in another one.
  ///
  /// @param before the image in which they have their nodes
  public static Cluster with(
      Cluster image, GangId gang, Iterable<MemberId> members, Cluster before) {
    ClusterBuilder back =
        onNodes(
            image,
            seats(members, before),
            (node, pod) -> node.occupiedBy(pod, before.locations().get(pod).orElseThrow().share()));
    for (MemberId pod : members) {
      back.reseat(pod, before.locations().get(pod));
      back.charge(before.gang(gang), pod, before.ledger().podUsages().get(pod));
    }
    return back.image();
  }

  /// The image with these pods, and promises to them, off their nodes. Who sits where and who holds
  /// what for which queue stays as it was: enough to seek room, and cheap.
  ///
  /// @param pods by node
  public static Cluster emptied(Cluster image, Map<NodeId, List<MemberId>> pods) {
    return onNodes(image, pods, (node, pod) -> node.leftBy(pod).unpromisedTo(pod)).image();
  }

  /// The image with each of these nodes changed for each of its pods.
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

  /// The pods that have seats, by node.
  private static Map<NodeId, List<MemberId>> seats(Iterable<MemberId> members, Cluster image) {
    TreeMap<NodeId, List<MemberId>> byNode = new TreeMap<>();
    for (MemberId pod : members) {
      image
          .locations()
          .get(pod)
          .ifPresent(location -> byNode.computeIfAbsent(location.node(), _ -> new ArrayList<>()).add(pod));
    }
    return byNode;
  }
}
