package dev.muster.core.placement.oracle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Slices;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// One placement problem for search and oracle: the nodes for the waiting members of a gang.
///
/// @param cluster the facts
/// @param gang the gang
/// @param waiting the members to place, in rank order
/// @param mates where members with places are, one entry each
/// @param mix the requests to expect, with their weights
record Puzzle(
    Cluster cluster,
    Gang gang,
    List<Member> waiting,
    List<NodeId> mates,
    Map<PuzzleShape, Integer> mix) {
  static Puzzle of(Cluster cluster, Gang gang) {
    List<NodeId> mates = new ArrayList<>();
    gang.members().forEach(member -> member.node().ifPresent(mates::add));
    return new Puzzle(cluster, gang, gang.waiting(), mates, PuzzleShape.mix(cluster));
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

  /// Returns the domain of the node at a depth; the node itself below all levels. Nodes without the
  /// level's label are near only the nodes of a shared deeper domain.
  String domain(NodeState node, int depth) {
    if (depth > topology().depth()) {
      return "node " + node.id();
    }
    return node.path().isLabelledAt(depth)
        ? "domain " + String.join("/", node.path().values().subList(0, depth))
        : domain(node, depth + 1);
  }

  /// Whether the node lies in a real domain of the depth, to which a gang can be kept.
  boolean isLabelled(NodeState node, int depth) {
    return depth > topology().depth() || node.path().isLabelledAt(depth);
  }

  /// The depth of the required level; 0 when none is, empty when there is no such level.
  OptionalInt requiredDepth() {
    Optional<String> required = gang.constraints().topology().required();
    return required.isPresent() ? topology().depthOf(required.get()) : OptionalInt.of(0);
  }

  /// The depth of the level of slices; 0 when the gang has none, empty when there is no such level.
  OptionalInt sliceDepth() {
    Optional<Slices> slices = gang.constraints().topology().slices();
    return slices.isPresent() ? topology().depthOf(slices.get().level()) : OptionalInt.of(0);
  }

  /// Whether the levels are known, and slices no wider than the domain of the whole gang.
  boolean makesSense() {
    return requiredDepth().isPresent()
        && sliceDepth().isPresent()
        && (slices().isEmpty() || sliceDepth().getAsInt() >= requiredDepth().getAsInt());
  }

  /// The slices; none when the gang is not cut.
  List<PuzzleSlice> slices() {
    return gang.constraints()
        .topology()
        .slices()
        .map(cut -> PuzzleSlice.of(gang, cut))
        .orElse(List.of());
  }

  /// The models of which one is to be chosen; empty when that does not matter.
  List<String> models() {
    if (gang.constraints().gpus().mixed()
        || waiting.stream().noneMatch(m -> m.request().wantsGpu())) {
      return List.of();
    }
    List<String> ofMates =
        gang.members().values().stream()
            .filter(member -> member.request().wantsGpu())
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
    boolean rightModel = !request.wantsGpu() || gang.constraints().gpus().accepts(model(node));
    boolean lonely =
        request.onePerNode()
            && gang.members()
                .any(mate ->
                    mate.request().onePerNode()
                        && mate.node().filter(node.id()::equals).isPresent());
    return rightModel
        && node.node().taints().stream().noneMatch(request.selection()::isKeptAwayBy)
        && request.selection().all().stream()
            .allMatch(each -> each.holdsFor(node.node().labels().get(each.key())))
        && !lonely
        && !node.node().cordoned()
        && isLabelled(node, requiredDepth().orElse(0))
        && isLabelled(node, sliceDepth().orElse(0));
  }

  /// The depth inside of which all places are near enough. It is that of nodes if the gang names no
  /// level, or is balanced.
  int nearDepth() {
    TopologyConstraint wish = gang.constraints().topology();
    return wish.preferred().isEmpty() || wish.layout() == TopologyConstraint.Layout.BALANCED
        ? topology().nodeDepth()
        : Math.max(
            topology().depthOf(wish.preferred().get()).orElseThrow(),
            requiredDepth().orElseThrow());
  }

  /// Returns what the member prefers and the node does not offer.
  static long unmet(NodeState node, Request request) {
    long affinity =
        request.selection().preferred().stream()
            .filter(term ->
                !term.all().stream().allMatch(each -> each.holdsFor(node.node().value(each.key()))))
            .mapToLong(PreferredTerm::weight)
            .sum();
    long taints =
        node.node().taints().stream()
            .filter(taint -> taint.effect() == Taint.Effect.PREFER_NO_SCHEDULE)
            .filter(taint ->
                request.selection().tolerations().stream().noneMatch(each -> each.tolerates(taint)))
            .count();
    return affinity + 150 * taints;
  }

  /// Returns the free GPUs that are useless for the expected requests now, in weighted thousandths.
  long fragmentation() {
    return nodes().stream().mapToLong(node -> fragmentation(OracleCapacity.on(node))).sum();
  }

  /// Returns the useless part of this capacity.
  private long fragmentation(OracleCapacity room) {
    long sum = 0;
    for (Map.Entry<PuzzleShape, Integer> entry : mix.entrySet()) {
      sum += entry.getValue() * entry.getKey().unusable(room);
    }
    return sum;
  }

  /// Returns the additional useless capacity with these members on the node.
  long fragmentation(NodeState node, List<Request> requests) {
    OracleCapacity before = OracleCapacity.on(node);
    return fragmentation(before.with(requests).orElseThrow()) - fragmentation(before);
  }

  /// The weight of one GPU in the fragmentation.
  long oneGpu() {
    return 1000L * mix.values().stream().mapToInt(Integer::intValue).sum();
  }
}
