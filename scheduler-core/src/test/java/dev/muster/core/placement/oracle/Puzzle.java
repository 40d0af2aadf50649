package dev.muster.core.placement.oracle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// One question put to search and oracle alike: where do the waiting members of a gang go?
///
/// @param cluster the facts
/// @param gang the gang
/// @param waiting the members to place, in rank order
/// @param mates where members with places are, one entry each
/// @param mix the requests to expect, with their weights
record Puzzle(
    Cluster cluster, Gang gang, List<Member> waiting, List<NodeId> mates, Map<Shape, Integer> mix) {
  static Puzzle of(Cluster cluster, Gang gang) {
    List<NodeId> mates = new ArrayList<>();
    gang.members().forEach(member -> member.node().ifPresent(mates::add));
    return new Puzzle(cluster, gang, gang.waiting(), mates, Shape.mix(cluster));
  }

  Topology topology() {
    return cluster.topology();
  }

  List<NodeState> nodes() {
    return cluster.nodes().values();
  }

  NodeState node(NodeId id) {
    return cluster.nodes().get(id).orElseThrow();
  }

  /// The domain of the node at a depth, the node itself below all levels. A node that lacks the
  /// level's label is a domain of its own: it is near nobody.
  String domain(NodeState node, int depth) {
    boolean alone = depth > topology().depth() || !node.path().isLabelledAt(depth);
    return alone
        ? "node " + node.id()
        : "domain " + String.join("/", node.path().values().subList(0, depth));
  }

  /// Whether the node lies in a real domain of the depth, to which a gang can be kept.
  boolean isLabelled(NodeState node, int depth) {
    return depth > topology().depth() || node.path().isLabelledAt(depth);
  }

  /// The depth of the required level; 0 when none is, empty when there is no such level.
  OptionalInt requiredDepth() {
    Optional<String> required = gang.wishes().topology().required();
    return required.isPresent() ? topology().depthOf(required.get()) : OptionalInt.of(0);
  }

  /// The models of which one is to be chosen; empty when that does not matter.
  List<String> models() {
    if (gang.wishes().gpus().mixed() || waiting.stream().allMatch(m -> m.request().gpus() == 0)) {
      return List.of();
    }
    List<String> ofMates =
        gang.members().values().stream()
            .filter(member -> member.request().gpus() > 0)
            .flatMap(member -> member.node().stream())
            .map(id -> model(node(id)))
            .distinct()
            .toList();
    return ofMates.isEmpty() ? nodes().stream().map(Puzzle::model).distinct().toList() : ofMates;
  }

  static String model(NodeState node) {
    return node.node().model().name();
  }

  /// Whether the node may take the member at all, were it empty.
  boolean takes(NodeState node, Request request) {
    boolean rightModel = request.gpus() == 0 || gang.wishes().gpus().accepts(model(node));
    boolean lonely =
        request.onePerNode()
            && gang.members()
                .any(mate ->
                    mate.request().onePerNode()
                        && mate.node().filter(node.id()::equals).isPresent());
    return rightModel
        && !lonely
        && !node.node().cordoned()
        && isLabelled(node, requiredDepth().orElse(0));
  }

  /// Whether the node has room for all of these together.
  boolean hasRoom(NodeState node, List<Request> requests) {
    Resources sum = Resources.NONE;
    for (Request request : requests) {
      sum = sum.plus(request.resources());
    }
    return node.free().covers(sum) && requests.stream().filter(Request::onePerNode).count() <= 1;
  }

  /// What the expected requests have no use for now, of all free GPUs: weighted thousandths.
  long fragmentation() {
    long sum = 0;
    for (NodeState node : nodes()) {
      for (Map.Entry<Shape, Integer> entry : mix.entrySet()) {
        sum += entry.getValue() * entry.getKey().unusable(node, node.free(), node.freeGpus());
      }
    }
    return sum;
  }

  /// The weight of one GPU in the fragmentation.
  long oneGpu() {
    return 1000L * mix.values().stream().mapToInt(Integer::intValue).sum();
  }

  /// How much more of the node's free GPUs the expected requests have no use for once these members
  /// are on it: weighted thousandths of a GPU.
  long fragmentation(NodeState node, List<Request> requests) {
    Resources free = node.free();
    int gpus = node.freeGpus();
    for (Request request : requests) {
      free = free.minus(request.resources());
      gpus -= request.gpus();
    }
    long more = 0;
    for (Map.Entry<Shape, Integer> entry : mix.entrySet()) {
      Shape shape = entry.getKey();
      more +=
          entry.getValue()
              * (shape.unusable(node, free, gpus)
                  - shape.unusable(node, node.free(), node.freeGpus()));
    }
    return more;
  }
}
