package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Node;
import dev.muster.core.topology.DomainPath;
import dev.muster.simulator.run.RunResult;
import dev.muster.simulator.run.Stay;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/// How much of which nodes is in use when: rows are nodes in order of the fabric, or several
/// neighbours each when there are many; columns are equal parts of the time.
final class HeatMap {
  private static final int COLUMNS = 160;
  private static final int MOST_ROWS = 128;

  private final RunResult run;
  private final int[] rowOf;
  private final List<List<Integer>> rows = new ArrayList<>();

  private HeatMap(RunResult run) {
    this.run = run;
    this.rowOf = new int[run.fleet().nodes().size()];
    List<Integer> order = order(run);
    int perRow = (order.size() + MOST_ROWS - 1) / MOST_ROWS;
    for (List<Integer> domain : domains(order)) {
      for (int i = 0; i < domain.size(); i += perRow) {
        List<Integer> row = domain.subList(i, Math.min(domain.size(), i + perRow));
        row.forEach(node -> rowOf[node] = rows.size());
        rows.add(row);
      }
    }
  }

  static ObjectNode of(RunResult run) {
    return new HeatMap(run).json();
  }

  /// The nodes by domain, then as they are listed.
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

  /// Nodes of one domain stay together while there are few enough domains.
  private List<List<Integer>> domains(List<Integer> order) {
    TreeMap<DomainPath, List<Integer>> domains = new TreeMap<>();
    order.forEach(
        node -> domains.computeIfAbsent(path(run, node), _ -> new ArrayList<>()).add(node));
    return domains.size() > MOST_ROWS ? List.of(order) : List.copyOf(domains.values());
  }

  private ObjectNode json() {
    long step = Math.max(1, (run.endMillis() + COLUMNS - 1) / COLUMNS);
    double[][] used = new double[rows.size()][COLUMNS];
    for (Stay stay : run.stays()) {
      add(used[rowOf[stay.node()]], stay, step);
    }
    ObjectNode heat = ResultFiles.JSON.createObjectNode().put("step_s", step / 1000.0);
    ArrayNode names = heat.putArray("rows");
    ArrayNode values = heat.putArray("percent");
    for (int row = 0; row < rows.size(); row++) {
      names.add(name(rows.get(row)));
      int gpus = rows.get(row).stream().mapToInt(n -> run.fleet().nodes().get(n).gpus()).sum();
      ArrayNode line = values.addArray();
      for (double each : used[row]) {
        line.add(gpus == 0 ? 0 : (int) Math.rint(100 * each / (1000.0 * gpus * step)));
      }
    }
    return heat;
  }

  private static void add(double[] row, Stay stay, long step) {
    for (long at = stay.fromMillis(); at < stay.toMillis(); at = (at / step + 1) * step) {
      long to = Math.min(stay.toMillis(), (at / step + 1) * step);
      row[(int) Math.min(COLUMNS - 1, at / step)] += (double) stay.gpuMilli() * (to - at);
    }
  }

  private String name(List<Integer> nodes) {
    String domain = path(run, nodes.getFirst()).toString();
    String first = run.fleet().nodes().get(nodes.getFirst()).id().name();
    String more = nodes.size() == 1 ? "" : " + %d".formatted(nodes.size() - 1);
    return run.fleet().topology().depth() == 0 ? first + more : domain + " " + first + more;
  }
}
