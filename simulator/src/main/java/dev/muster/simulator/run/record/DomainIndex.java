package dev.muster.simulator.run.record;

import dev.muster.core.topology.DomainPath;
import dev.muster.simulator.fleet.Fleet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Counts the domains of each topology level that a set of nodes spans.
public final class DomainIndex {
  private final int[][] domains;
  private final List<Integer> oneNode;
  private final List<String> models;
  private final Map<List<Integer>, List<Integer>> known = new HashMap<>(); // equal lists are shared

  DomainIndex(Fleet fleet) {
    this.domains = domains(fleet);
    this.models = fleet.nodes().stream().map(node -> node.model().name()).toList();
    this.oneNode = Collections.nCopies(domains.length, 1);
  }

  /// Returns the domain of each node at each level of a fleet, as numbers. The indexes are level,
  /// outermost first, and node. A node without labels is a domain of its own.
  public static int[][] domains(Fleet fleet) {
    int[][] domains = new int[fleet.topology().depth()][fleet.nodes().size()];
    for (int level = 0; level < domains.length; level++) {
      Map<DomainPath, Integer> numbers = new HashMap<>();
      for (int node = 0; node < domains[level].length; node++) {
        DomainPath path = fleet.topology().locate(fleet.nodes().get(node).labels()).upTo(level + 1);
        domains[level][node] =
            path.isLabelled() ? numbers.computeIfAbsent(path, _ -> numbers.size()) : -1 - node;
      }
    }
    return domains;
  }

  /// Returns the GPU models of these nodes in order of name, joined by `+`; empty if unknown.
  String models(int[] nodes) {
    return nodes.length == 1
        ? models.get(nodes[0])
        : Arrays.stream(nodes)
            .mapToObj(models::get)
            .distinct()
            .sorted()
            .collect(Collectors.joining("+"));
  }

  /// Returns the number of domains of these nodes at each level, outermost first.
  List<Integer> of(int[] nodes) {
    if (nodes.length == 1) { // most jobs
      return oneNode;
    }
    List<Integer> span = new ArrayList<>();
    for (int[] level : domains) {
      span.add((int) Arrays.stream(nodes).map(node -> level[node]).distinct().count());
    }
    return known.computeIfAbsent(span, List::copyOf);
  }
}
