package dev.muster.simulator.run;

import dev.muster.core.topology.DomainPath;
import dev.muster.simulator.fleet.Fleet;
import java.util.HashMap;
import java.util.Map;

/// Which domain of each level each node of a fleet lies in, as numbers.
final class Spans {
  private Spans() {}

  /// By level, outermost first, and node. An unlabelled node is near nobody: a domain of its own.
  static int[][] domains(Fleet fleet) {
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
}
