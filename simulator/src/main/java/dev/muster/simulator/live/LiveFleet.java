package dev.muster.simulator.live;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeState;
import dev.muster.simulator.fleet.Fleet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The nodes of a live cluster, without the capacity used by pods that are not simulated.
public final class LiveFleet {
  private LiveFleet() {}

  /// Returns the nodes of an image.
  public static Fleet of(String name, Cluster image) {
    Set<MemberId> simulated = new HashSet<>();
    image.gangs().forEach(gang -> simulated.addAll(gang.members().keys()));
    List<Node> nodes = new ArrayList<>();
    image.nodes().forEach(state -> nodes.add(left(state, simulated)));
    return new Fleet(name, nodes, image.topology(), List.of());
  }

  private static Node left(NodeState state, Set<MemberId> simulated) {
    Node node = state.node();
    Resources allocatable = node.allocatable();
    int gpus = node.gpus();
    for (MemberId pod : state.occupants().keys()) {
      if (!simulated.contains(pod)) {
        var share = state.occupants().get(pod).orElseThrow();
        allocatable = allocatable.minus(share.resources());
        gpus -= share.gpus();
      }
    }
    return new Node(
        node.id(),
        node.labels(),
        allocatable.atLeastNone(),
        Math.max(0, gpus),
        node.model(),
        node.taints(),
        node.cordoned(),
        List.of());
  }
}
