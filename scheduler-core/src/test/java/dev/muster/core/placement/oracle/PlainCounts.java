package dev.muster.core.placement.oracle;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.Request;
import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// Plain counts over the nodes that a gang may use, without any of the code that places gangs.
///
/// @param puzzle the cluster and the gang that waits
record PlainCounts(Puzzle puzzle) {
  Map<Request, Integer> kinds() {
    Map<Request, Integer> kinds = new LinkedHashMap<>();
    puzzle.waiting().forEach(member -> kinds.merge(member.request(), 1, Integer::sum));
    return kinds;
  }

  /// Returns the number of waiting members with this request.
  int count(Request kind) {
    return kinds().getOrDefault(kind, 0);
  }

  long sum(ToLongFunction<Request> amount) {
    return puzzle.waiting().stream().mapToLong(m -> amount.applyAsLong(m.request())).sum();
  }

  /// Whether the node would take the member, were it empty.
  boolean takes(NodeState node, Request request) {
    return puzzle.takes(node, request)
        && node.node().allocatable().covers(request.resources())
        && (request.gpuMilli() == 0 || node.node().gpus() > 0);
  }

  boolean takesGpus(NodeState node) {
    return kinds().keySet().stream().anyMatch(k -> k.wantsGpu() && takes(node, k));
  }

  int depth(String level) {
    return puzzle.topology().depthOf(level).orElseThrow();
  }

  String place(NodeState node, int depth) {
    return depth == 0 ? "" : node.place(depth).toString();
  }

  boolean isHome(NodeState node) {
    int depth = puzzle.requiredDepth().orElse(0);
    return depth == 0
        || puzzle.mates().stream()
            .allMatch(
                mate -> puzzle.domain(puzzle.node(mate), depth).equals(puzzle.domain(node, depth)));
  }

  boolean isPermitted(String model) {
    return puzzle.models().isEmpty() || puzzle.models().contains(model);
  }

  List<String> sums() {
    List<String> sums = new ArrayList<>();
    for (String resource :
        new TreeSet<>(
            kinds().keySet().stream().flatMap(k -> k.resources().names().stream()).toList())) {
      long needed = sum(k -> k.resources().get(resource));
      long free = 0;
      for (NodeState node : puzzle.nodes()) {
        boolean counts =
            kinds().keySet().stream()
                .anyMatch(k -> k.resources().get(resource) > 0 && takes(node, k));
        free += counts ? Math.max(0, node.free().get(resource)) : 0;
      }
      if (free < needed) {
        sums.add(
            "Needs %s; free on matching nodes: %s."
                .formatted(ReasonText.amount(resource, needed), ReasonText.amount(resource, free)));
      }
    }
    return sums;
  }

  /// Returns the free GPUs on nodes that take a member with whole GPUs.
  long wholeGpus() {
    return puzzle.nodes().stream()
        .filter(node -> kinds().keySet().stream().anyMatch(k -> k.gpus() > 0 && takes(node, k)))
        .mapToLong(NodeState::freeGpus)
        .sum();
  }

  /// Returns the free GPUs on nodes for members with GPUs, by domain and by a property of nodes.
  Map<String, Long> gpusBy(int depth, Function<NodeState, String> part) {
    Map<String, Long> free = new TreeMap<>();
    for (NodeState node : puzzle.nodes()) {
      boolean permitted = part.apply(node).isEmpty() || isPermitted(Puzzle.model(node));
      if (takesGpus(node)
          && puzzle.isLabelled(node, depth)
          && permitted
          && (depth == 0 || isHome(node))) {
        free.merge(name(place(node, depth), part.apply(node)), (long) node.freeGpus(), Long::sum);
      }
    }
    return free;
  }

  static String name(String domain, String model) {
    return domain.isEmpty() || model.isEmpty() ? domain + model : domain + " with " + model;
  }

  /// Returns the kinds of members of which the sentence names these amounts.
  List<Request> named(int members, String amounts) {
    return kinds().keySet().stream()
        .filter(kind -> members < 0 || count(kind) >= members)
        .filter(kind ->
            List.of(amounts.split(" and ")).stream().allMatch(amount -> isAmount(kind, amount)))
        .toList();
  }

  static boolean isAmount(Request kind, String amount) {
    return amount.equals("a node")
        || amount.equals(kind.gpus() + (kind.gpus() == 1 ? " GPU" : " GPUs"))
        || amount.equals(kind.gpuMilli() + " thousandths of a GPU")
        || kind.resources().asMap().entrySet().stream()
            .anyMatch(e -> ReasonText.amount(e.getKey(), e.getValue()).equals(amount));
  }

  /// Returns the number of such members that the node has place for, judged by the named amounts.
  int places(NodeState node, Request kind, String amounts) {
    Request part = NamedPart.of(kind, amounts);
    List<Request> seated = new ArrayList<>();
    while (seated.size() < puzzle.waiting().size()) {
      seated.add(part);
      if (OracleCapacity.on(node).with(seated).isEmpty()) {
        return seated.size() - 1;
      }
    }
    return seated.size();
  }

  Map<String, Long> placesBy(int depth, Request kind, String amounts) {
    Map<String, Long> places = new TreeMap<>();
    for (NodeState node : puzzle.nodes()) {
      String model = kind.wantsGpu() && !puzzle.models().isEmpty() ? Puzzle.model(node) : "";
      if (takes(node, kind)
          && puzzle.isLabelled(node, depth)
          && isHome(node)
          && (model.isEmpty() || isPermitted(model))) {
        places.merge(
            place(node, depth) + "|" + model, (long) places(node, kind, amounts), Long::sum);
      }
    }
    return places;
  }
}
