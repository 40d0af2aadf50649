package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.node.Node;
import dev.muster.core.topology.DomainPath;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/// The GPU utilisation of nodes over time, as rows of percentages.
///
/// Rows are nodes in topology order, or groups of neighbouring nodes where there are many. Columns
/// are the time slots of the recorded occupancy.
final class HeatMap {
  private static final int MOST_ROWS = 128;

  private final RunResult run;
  private final List<List<Integer>> rows = new ArrayList<>();

  private HeatMap(RunResult run) {
    this.run = run;
    List<Integer> order = order(run);
    int perRow = (order.size() + MOST_ROWS - 1) / MOST_ROWS;
    for (List<Integer> domain : domains(order)) {
      for (int i = 0; i < domain.size(); i += perRow) {
        rows.add(domain.subList(i, Math.min(domain.size(), i + perRow)));
      }
    }
  }

  static ObjectNode of(RunResult run) {
    return new HeatMap(run).json();
  }

  /// Returns the indices of the nodes, sorted by domain and then in the order of the fleet.
  static List<Integer> order(RunResult run) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < run.fleet().nodes().size(); i++) {
      order.add(i);
    }
    order.sort(Comparator.comparing(node -> path(run, node)));
    return order;
  }

  private static DomainPath path(RunResult run, int node) {
    Node at = run.fleet().nodes().get(node);
    return run.fleet().topology().locate(at.labels());
  }

  /// Groups the nodes by domain; with more domains than rows all nodes form one group.
  private List<List<Integer>> domains(List<Integer> order) {
    TreeMap<DomainPath, List<Integer>> domains = new TreeMap<>();
    order.forEach(
        node -> domains.computeIfAbsent(path(run, node), _ -> new ArrayList<>()).add(node));
    return domains.size() > MOST_ROWS ? List.of(order) : List.copyOf(domains.values());
  }

  private ObjectNode json() {
    long step = run.occupancy().slotMillis();
    ObjectNode heat = ResultFiles.JSON.createObjectNode().put("step_s", step / 1000.0);
    ArrayNode names = heat.putArray("rows");
    ArrayNode values = heat.putArray("percent");
    for (List<Integer> row : rows) {
      names.add(name(row));
      int gpus = row.stream().mapToInt(n -> run.fleet().nodes().get(n).gpus()).sum();
      double[] used = run.occupancy().gpuMillis(row);
      ArrayNode line = values.addArray();
      for (int slot = 0; slot == 0 || slot * step < run.endMillis(); slot++) {
        double there = (double) gpus * Math.min(step, run.endMillis() - slot * step);
        line.add(there > 0 ? (int) Math.rint(100 * used[slot] / there) : 0);
      }
    }
    return heat;
  }

  private String name(List<Integer> nodes) {
    String domain = path(run, nodes.getFirst()).toString();
    String first = run.fleet().nodes().get(nodes.getFirst()).id().name();
    String more = nodes.size() == 1 ? "" : " + " + (nodes.size() - 1);
    return run.fleet().topology().depth() == 0 ? first + more : domain + " " + first + more;
  }
}
