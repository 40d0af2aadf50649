package dev.muster.core.placement.oracle;

import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.TopologyConstraint.Layout;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.Placement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Judges a placement from the facts alone: whether it is feasible, and its terms.
///
/// @param puzzle what was asked
/// @param placement what was answered
record Judge(Puzzle puzzle, Placement placement) {
  /// Returns the faults of the placement; empty for a correct one.
  List<String> faults() {
    if (!puzzle.makesSense()) {
      return List.of("answers a question that makes no sense");
    }
    List<String> faults = new ArrayList<>();
    if (!placement.assignments().stream()
        .map(Assignment::member)
        .toList()
        .equals(puzzle.waiting())) {
      faults.add("does not place the waiting members in rank order");
    }
    requests()
        .forEach((node, requests) -> {
          if (!requests.stream().allMatch(request -> puzzle.takes(node, request))) {
            faults.add(node.id() + " may not take one of its members");
          }
          if (OracleCapacity.on(node).with(requests).isEmpty()) {
            faults.add(node.id() + " has no room for its members");
          }
        });
    if (domains(puzzle.requiredDepth().orElseThrow(), withMates()).size() > 1) {
      faults.add("leaves the required domain");
    }
    for (PuzzleSlice slice : puzzle.slices()) {
      if (domains(puzzle.sliceDepth().orElseThrow(), nodes(slice)).size() > 1) {
        faults.add("tears the slice of " + slice.waiting().getFirst().id());
      }
    }
    if (!puzzle.models().isEmpty() && modelsUsed().size() > 1) {
      faults.add("mixes the models " + modelsUsed());
    }
    if (!puzzle.models().isEmpty() && !puzzle.models().containsAll(modelsUsed())) {
      faults.add("takes a model other than its mates'");
    }
    return faults;
  }

  /// Returns the terms of the placement.
  OracleTerms terms() {
    Map<String, Long> terms = new LinkedHashMap<>();
    terms.put(OracleTerms.RANK, rank());
    spans(1, puzzle.nearDepth(), terms);
    Map<NodeState, List<Request>> requests = requests();
    if (puzzle.gang().constraints().topology().layout() == Layout.BALANCED) {
      terms.put(OracleTerms.MOST, requests.values().stream().mapToLong(List::size).max().orElse(0));
    }
    terms.put(OracleTerms.UNMET, unmet());
    long more = 0;
    for (Map.Entry<NodeState, List<Request>> entry : requests.entrySet()) {
      more += puzzle.fragmentation(entry.getKey(), entry.getValue());
    }
    terms.put(OracleTerms.FRAGMENTATION, more);
    spans(puzzle.nearDepth() + 1, puzzle.topology().nodeDepth(), terms);
    terms.put(OracleTerms.AROUND, freeAround());
    terms.put(OracleTerms.SLACK, requests.keySet().stream().mapToLong(NodeState::freeGpus).sum());
    return new OracleTerms(terms);
  }

  private void spans(int from, int to, Map<String, Long> terms) {
    for (int depth = from; depth <= to; depth++) {
      String name = depth > puzzle.topology().depth() ? OracleTerms.NODES : OracleTerms.span(depth);
      terms.put(name, (long) domains(depth, withMates()).size());
    }
  }

  private long unmet() {
    return placement.assignments().stream()
        .mapToLong(each -> Puzzle.unmet(puzzle.node(each.node()), each.member().request()))
        .sum();
  }

  private long rank() {
    boolean free = puzzle.models().isEmpty();
    return free ? 0 : puzzle.gang().constraints().gpus().rank(modelsUsed().iterator().next());
  }

  private Map<NodeState, List<Request>> requests() {
    Map<NodeState, List<Request>> byNode = new LinkedHashMap<>();
    for (Assignment assignment : placement.assignments()) {
      byNode
          .computeIfAbsent(puzzle.node(assignment.node()), _ -> new ArrayList<>())
          .add(assignment.member().request());
    }
    return byNode;
  }

  private Set<String> modelsUsed() {
    Set<String> models = new TreeSet<>();
    for (Assignment assignment : placement.assignments()) {
      if (assignment.member().request().wantsGpu()) {
        models.add(Puzzle.model(puzzle.node(assignment.node())));
      }
    }
    return models;
  }

  private List<NodeId> withMates() {
    List<NodeId> nodes = new ArrayList<>(puzzle.mates());
    placement.assignments().forEach(assignment -> nodes.add(assignment.node()));
    return nodes;
  }

  private List<NodeId> nodes(PuzzleSlice slice) {
    List<NodeId> nodes = new ArrayList<>();
    for (Assignment assignment : placement.assignments()) {
      if (slice.waiting().contains(assignment.member())) {
        nodes.add(assignment.node());
      }
    }
    slice.mate().filter(_ -> !nodes.isEmpty()).ifPresent(nodes::add);
    return nodes;
  }

  private Set<String> domains(int depth, List<NodeId> nodes) {
    Set<String> domains = new TreeSet<>();
    nodes.forEach(node -> domains.add(puzzle.domain(puzzle.node(node), depth)));
    return domains;
  }

  /// Free GPUs of the innermost domains that take members.
  private long freeAround() {
    int innermost = puzzle.topology().depth();
    Set<String> used =
        domains(innermost, placement.assignments().stream().map(Assignment::node).toList());
    return puzzle.nodes().stream()
        .filter(node -> used.contains(puzzle.domain(node, innermost)))
        .mapToLong(NodeState::freeGpus)
        .sum();
  }
}
