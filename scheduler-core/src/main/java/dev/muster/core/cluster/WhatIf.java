package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Node;
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
    }
    left.charge(image.gang(gang), members, _ -> Optional.empty());
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
    }
    back.charge(before.gang(gang), members, before.ledger().podUsages()::get);
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

  /// Returns the nodes of an image without anything on them: no pod, promise or hold, and no gang.
  ///
  /// Only nodes that changed since an earlier call are computed again, and changes of pods alone
  /// change nothing. In that case the earlier result itself is returned.
  ///
  /// @param nodes the nodes of the earlier call; empty for the first one
  /// @param vacant the result of the earlier call; a cluster without nodes for the first one
  public static Cluster vacant(
      Cluster image, SortedTable<NodeId, NodeState> nodes, Cluster vacant) {
    ClusterBuilder builder = new ClusterBuilder(vacant);
    boolean changed = false;
    for (var node : image.nodes().differences(nodes)) {
      if (node.before().isEmpty()
          || node.now().isEmpty()
          || isRemade(node.before().get(), node.now().get())) {
        builder.replace(vacant.nodes().get(node.key()), node.now().map(NodeState::unloaded));
        changed = true;
      }
    }
    return changed ? builder.image() : vacant;
  }

  /// True if the description of the node changed. The indexes of its free GPUs do not count: they
  /// follow the pods.
  private static boolean isRemade(NodeState before, NodeState now) {
    return !before.node().equals(now.node()) && !lasting(before.node()).equals(lasting(now.node()));
  }

  private static Node lasting(Node node) {
    return node.freeGpus().isEmpty()
        ? node
        : new Node(
            node.id(),
            node.labels(),
            node.allocatable(),
            node.gpus(),
            node.model(),
            node.taints(),
            node.cordoned(),
            node.faults());
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
