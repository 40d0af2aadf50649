package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.node.Node;
import dev.muster.core.topology.DomainPath;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The GPU utilisation of nodes over time, as rows of percentages.
///
/// Rows are nodes in topology order, cloud nodes last, or groups of neighbouring nodes where there
/// are many. Columns are the time slots of the recorded occupancy. Figures below 0 are no
/// percentages: -1 for cloud nodes that are not there, -2 for own nodes that failed or are in
/// maintenance.
final class HeatMap {
  private static final int MOST_ROWS = 128;
  private static final int ABSENT = -1;
  private static final int FAILED = -2;

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

  /// Returns the indices of the nodes, own before cloud nodes, sorted by domain, then as in the
  /// fleet.
  static List<Integer> order(RunResult run) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < run.fleet().nodes().size(); i++) {
      order.add(i);
    }
    order.sort(
        Comparator.<Integer, Boolean>comparing(run.fleet()::isOnDemand)
            .thenComparing(node -> path(run, node)));
    return order;
  }

  private static DomainPath path(RunResult run, int node) {
    Node at = run.fleet().nodes().get(node);
    return run.fleet().topology().locate(at.labels());
  }

  /// Groups the nodes by domain; with more domains than rows all nodes form one group.
  private List<List<Integer>> domains(List<Integer> order) {
    Map<Place, List<Integer>> domains = new LinkedHashMap<>();
    for (int node : order) {
      Place place = new Place(run.fleet().isOnDemand(node), path(run, node));
      domains.computeIfAbsent(place, _ -> new ArrayList<>()).add(node);
    }
    return domains.size() > MOST_ROWS ? List.of(order) : List.copyOf(domains.values());
  }

  private record Place(boolean cloud, DomainPath path) {}

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
        double all = (double) gpus * Math.min(step, run.endMillis() - slot * step);
        line.add(cell(used[slot], all, absent(row, slot), run.fleet().isOnDemand(row.getFirst())));
      }
    }
    return heat;
  }

  /// Returns the GPU time of a slot for which the nodes of the row were not there.
  private double absent(List<Integer> row, int slot) {
    return row.stream()
        .mapToDouble(
            node -> run.fleet().nodes().get(node).gpus() * run.occupancy().absentMillis(node, slot))
        .sum();
  }

  private static int cell(double used, double all, double absent, boolean cloud) {
    double there = all - absent;
    if (2 * absent > all && used == 0) {
      return cloud ? ABSENT : FAILED;
    }
    return there > 0 ? (int) Math.rint(Math.min(100, 100 * used / there)) : 0;
  }

  private String name(List<Integer> nodes) {
    String domain = path(run, nodes.getFirst()).toString();
    String first = run.fleet().nodes().get(nodes.getFirst()).id().name();
    String more = nodes.size() == 1 ? "" : " + " + (nodes.size() - 1);
    return run.fleet().topology().depth() == 0 ? first + more : domain + " " + first + more;
  }
}
