package dev.muster.core.placement.oracle;

import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.TopologyConstraint.Layout;
import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.chocosolver.solver.Model;
import org.chocosolver.solver.Solution;
import org.chocosolver.solver.constraints.extension.Tuples;
import org.chocosolver.solver.variables.BoolVar;
import org.chocosolver.solver.variables.IntVar;

/// The best terms of any placement of a gang, proven by a constraint solver.
///
/// Algorithm: one model is solved for every GPU model that may be chosen. A variable for each kind
/// of member and each node is the number of such members there. A table for each node lists the
/// feasible numbers with the resulting fragmentation. The terms are minimised one after the other,
/// each with the earlier ones held at their optimum.
final class ExactPlacement {
  private final Puzzle puzzle;
  private final Optional<String> gpuModel;
  private final List<NodeState> nodes;
  private final List<Request> kinds = new ArrayList<>();
  private final List<Integer> counts = new ArrayList<>();
  private final Model model = new Model();
  private final IntVar[][] members; // by kind, then node
  private final BoolVar[] used;
  private final IntVar[] most;
  private final IntVar[] fragmentation;

  private ExactPlacement(Puzzle puzzle, Optional<String> gpuModel) {
    this.puzzle = puzzle;
    this.gpuModel = gpuModel;
    this.nodes = puzzle.nodes();
    Map<Request, Integer> byKind = new LinkedHashMap<>();
    puzzle.waiting().forEach(member -> byKind.merge(member.request(), 1, Integer::sum));
    byKind.forEach((kind, count) -> {
      kinds.add(kind);
      counts.add(count);
    });
    members = new IntVar[kinds.size()][nodes.size()];
    used = model.boolVarArray(nodes.size());
    most = new IntVar[nodes.size()];
    fragmentation = new IntVar[nodes.size()];
  }

  /// The terms of the best placement; empty when there is none.
  static Optional<OracleTerms> best(Puzzle puzzle) {
    if (!puzzle.makesSense()) {
      return Optional.empty();
    }
    List<Optional<String>> choices = new ArrayList<>();
    puzzle.models().forEach(name -> choices.add(Optional.of(name)));
    if (choices.isEmpty()) {
      choices.add(Optional.empty());
    }
    return choices.stream()
        .flatMap(choice -> new ExactPlacement(puzzle, choice).solve().stream())
        .min(Comparator.naturalOrder());
  }

  private Optional<OracleTerms> solve() {
    for (int kind = 0; kind < kinds.size(); kind++) {
      members[kind] = shares(counts.get(kind));
    }
    for (int node = 0; node < nodes.size(); node++) {
      fill(node);
    }
    if (!puzzle.slices().isEmpty()) {
      slice();
    }
    Map<String, IntVar> objective = objective();
    Map<String, Long> terms = new LinkedHashMap<>();
    for (Map.Entry<String, IntVar> term : objective.entrySet()) {
      Solution solution = model.getSolver().findOptimalSolution(term.getValue(), false);
      if (solution == null) {
        return Optional.empty();
      }
      int value = solution.getIntVal(term.getValue());
      terms.put(term.getKey(), (long) value);
      model.getSolver().reset();
      model.arithm(term.getValue(), "=", value).post();
    }
    return Optional.of(new OracleTerms(terms));
  }

  /// Returns the number of members on each node, of a given total.
  private IntVar[] shares(int count) {
    IntVar[] shares = model.intVarArray(nodes.size(), 0, count);
    model.sum(shares, "=", count).post();
    return shares;
  }

  // ---- Slices ----

  private void slice() {
    int depth = puzzle.sliceDepth().orElseThrow();
    List<String> domains = List.copyOf(byDomain(depth).keySet());
    List<List<IntVar[]>> byKind = new ArrayList<>();
    kinds.forEach(_ -> byKind.add(new ArrayList<>()));
    for (PuzzleSlice slice : puzzle.slices()) {
      IntVar home = model.intVar(0, domains.size() - 1);
      slice
          .mate()
          .map(mate -> domains.indexOf(puzzle.domain(puzzle.node(mate), depth)))
          .ifPresent(index -> model.arithm(home, "=", index).post());
      for (int kind = 0; kind < kinds.size(); kind++) {
        Request request = kinds.get(kind);
        long count = slice.waiting().stream().filter(m -> m.request().equals(request)).count();
        IntVar[] shares = shares((int) count);
        byKind.get(kind).add(shares);
        for (int node = 0; node < nodes.size(); node++) {
          int index = domains.indexOf(puzzle.domain(nodes.get(node), depth));
          BoolVar here = model.arithm(home, "=", index).reify();
          model.arithm(shares[node], "<=", model.mul(here, (int) count)).post();
        }
      }
    }
    for (int kind = 0; kind < kinds.size(); kind++) {
      for (int node = 0; node < nodes.size(); node++) {
        int at = node;
        IntVar[] parts = byKind.get(kind).stream().map(s -> s[at]).toArray(IntVar[]::new);
        model.sum(parts, "=", members[kind][node]).post();
      }
    }
  }

  // ---- What a node has room for ----

  private void fill(int node) {
    Tuples fills = new Tuples(true);
    extend(nodes.get(node), new ArrayList<>(), fills);
    IntVar[] row = new IntVar[kinds.size() + 3];
    for (int kind = 0; kind < kinds.size(); kind++) {
      row[kind] = members[kind][node];
    }
    most[node] = model.intVar(0, puzzle.waiting().size());
    fragmentation[node] = model.intVar(values(fills, kinds.size() + 2));
    row[kinds.size()] = used[node];
    row[kinds.size() + 1] = most[node];
    row[kinds.size() + 2] = fragmentation[node];
    model.table(row, fills, "CT+").post();
  }

  private static int[] values(Tuples fills, int column) {
    return IntStream.range(0, fills.nbTuples())
        .map(i -> fills.get(i)[column])
        .sorted()
        .distinct()
        .toArray();
  }

  private void extend(NodeState node, List<Integer> taken, Tuples fills) {
    List<Request> requests = requests(taken);
    if (OracleCapacity.on(node).with(requests).isEmpty()) {
      return; // nor has it for more
    }
    if (taken.size() == kinds.size()) {
      fills.add(row(node, taken, requests));
      return;
    }
    int kind = taken.size();
    int limit = mayTake(node, kinds.get(kind)) ? counts.get(kind) : 0;
    for (int count = 0; count <= limit; count++) {
      taken.add(count);
      extend(node, taken, fills);
      taken.removeLast();
    }
  }

  private boolean mayTake(NodeState node, Request kind) {
    boolean chosen =
        !kind.wantsGpu() || gpuModel.map(name -> Puzzle.model(node).equals(name)).orElse(true);
    return chosen && puzzle.takes(node, kind);
  }

  private List<Request> requests(List<Integer> taken) {
    List<Request> requests = new ArrayList<>();
    for (int kind = 0; kind < taken.size(); kind++) {
      for (int i = 0; i < taken.get(kind); i++) {
        requests.add(kinds.get(kind));
      }
    }
    return requests;
  }

  private int[] row(NodeState node, List<Integer> taken, List<Request> requests) {
    int[] row = new int[taken.size() + 3];
    for (int kind = 0; kind < taken.size(); kind++) {
      row[kind] = taken.get(kind);
    }
    row[taken.size()] = requests.isEmpty() ? 0 : 1;
    row[taken.size() + 1] = requests.size();
    row[taken.size() + 2] = Math.toIntExact(puzzle.fragmentation(node, requests));
    return row;
  }

  // ---- The objective ----

  private Map<String, IntVar> objective() {
    Map<String, IntVar> terms = new LinkedHashMap<>();
    terms.put(
        OracleTerms.RANK,
        model.intVar(
            gpuModel.map(name -> puzzle.gang().constraints().gpus().rank(name)).orElse(0)));
    int required = puzzle.requiredDepth().orElseThrow();
    Map<String, IntVar> inner = new LinkedHashMap<>(); // they count only after what is left behind
    for (int depth = 1; depth <= puzzle.topology().nodeDepth(); depth++) {
      IntVar spanned = spanned(depth);
      (depth <= puzzle.nearDepth() ? terms : inner)
          .put(
              depth > puzzle.topology().depth() ? OracleTerms.NODES : OracleTerms.span(depth),
              spanned);
      if (depth == required) {
        model.arithm(spanned, "<=", 1).post();
      }
    }
    if (puzzle.gang().constraints().topology().layout() == Layout.BALANCED) {
      IntVar most = model.intVar(0, puzzle.waiting().size());
      model.max(most, this.most).post();
      terms.put(OracleTerms.MOST, most);
    }
    terms.put(OracleTerms.UNMET, unmet());
    terms.put(OracleTerms.FRAGMENTATION, sum(List.of(fragmentation)));
    terms.putAll(inner);
    terms.put(OracleTerms.AROUND, freeAround());
    terms.put(OracleTerms.SLACK, slack());
    return terms;
  }

  private IntVar unmet() {
    List<IntVar> parts = new ArrayList<>();
    for (int kind = 0; kind < kinds.size(); kind++) {
      for (int node = 0; node < nodes.size(); node++) {
        int each = Math.toIntExact(Puzzle.unmet(nodes.get(node), kinds.get(kind)));
        parts.add(model.mul(members[kind][node], each));
      }
    }
    return sum(parts);
  }

  /// Returns the number of domains of the depth with members, including placed ones.
  private IntVar spanned(int depth) {
    Set<String> ofMates = new LinkedHashSet<>();
    for (NodeId mate : puzzle.mates()) {
      ofMates.add(puzzle.domain(puzzle.node(mate), depth));
    }
    List<IntVar> hits = new ArrayList<>();
    byDomain(depth)
        .forEach((domain, usedThere) ->
            hits.add(ofMates.contains(domain) ? model.boolVar(true) : any(usedThere)));
    return sum(hits);
  }

  private IntVar sum(List<IntVar> parts) {
    int least = parts.stream().mapToInt(IntVar::getLB).sum();
    int greatest = parts.stream().mapToInt(IntVar::getUB).sum();
    IntVar sum = model.intVar(least, greatest);
    model.sum(parts.toArray(IntVar[]::new), "=", sum).post();
    return sum;
  }

  private BoolVar any(List<BoolVar> some) {
    if (some.size() == 1) {
      return some.getFirst();
    }
    BoolVar any = model.boolVar();
    model.max(any, some.toArray(BoolVar[]::new)).post();
    return any;
  }

  private Map<String, List<BoolVar>> byDomain(int depth) {
    Map<String, List<BoolVar>> domains = new LinkedHashMap<>();
    for (int node = 0; node < nodes.size(); node++) {
      domains
          .computeIfAbsent(puzzle.domain(nodes.get(node), depth), _ -> new ArrayList<>())
          .add(used[node]);
    }
    return domains;
  }

  private IntVar slack() {
    List<IntVar> parts = new ArrayList<>();
    for (int node = 0; node < nodes.size(); node++) {
      parts.add(model.mul(used[node], nodes.get(node).freeGpus()));
    }
    return sum(parts);
  }

  private IntVar freeAround() {
    int innermost = puzzle.topology().depth();
    Map<String, Integer> free = new LinkedHashMap<>();
    nodes.forEach(
        node -> free.merge(puzzle.domain(node, innermost), node.freeGpus(), Integer::sum));
    List<IntVar> sums = new ArrayList<>();
    byDomain(innermost)
        .forEach((domain, usedThere) ->
            sums.add(model.mul(any(usedThere), free.getOrDefault(domain, 0))));
    return sum(sums);
  }
}
