package dev.muster.simulator.cli.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.experiment.ConfidenceInterval;
import dev.muster.simulator.experiment.ParameterSweep;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.report.Headline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.Function;

/// The runs of a sweep as a table: means over the seeds, with 95 % confidence intervals.
public final class SweepTable {
  private static final String SEED = "seed";

  private final Map<SortedMap<String, String>, List<JsonNode>> cells = new LinkedHashMap<>();

  private SweepTable(List<ParameterSweep.Result> runs) {
    for (ParameterSweep.Result run : runs) {
      SortedMap<String, String> values = new TreeMap<>(run.values());
      values.remove(SEED);
      cells.computeIfAbsent(values, _ -> new ArrayList<>()).add(run.summary());
    }
  }

  /// Returns the table; empty without runs.
  public static String of(List<ParameterSweep.Result> runs) {
    return runs.isEmpty() ? "" : lines(new SweepTable(runs).rows());
  }

  /// A column: its heading, and the text of a combination of values.
  private record Column(
      String head, Function<Map.Entry<SortedMap<String, String>, List<JsonNode>>, String> cell) {}

  /// Returns the rows for a report.
  public static Headline.Table report(List<ParameterSweep.Result> runs) {
    List<List<String>> rows = new SweepTable(runs).rows();
    return new Headline.Table("All combinations", rows.getFirst(), rows.subList(1, rows.size()));
  }

  private List<List<String>> rows() {
    List<Column> columns = new ArrayList<>();
    for (String axis : cells.keySet().iterator().next().keySet()) {
      if (cells.keySet().stream().map(values -> values.get(axis)).distinct().count() > 1) {
        columns.add(new Column(axis, each -> String.valueOf(each.getKey().get(axis))));
      }
    }
    columns.add(new Column("runs", each -> "" + each.getValue().size()));
    columns.add(figure("wait mean", "/wait_s/mean", FigureText::time));
    columns.add(figure("wait p95", "/wait_s/p95", FigureText::time));
    columns.add(figure("wait p99", "/wait_s/p99", FigureText::time));
    columns.add(figure("util.", "/utilisation", SweepTable::percent));
    columns.add(figure("goodput", "/goodput", SweepTable::percent));
    if (any("/cost_per_month")) {
      columns.add(figure("cost/month", "/cost_per_month", SweepTable::whole));
      columns.add(figure("per GPU-hour", "/cost_per_gpu_hour", SweepTable::hundredth));
    }
    columns.add(new Column("not done", each -> notDone(each.getValue())));
    List<List<String>> rows = new ArrayList<>();
    rows.add(columns.stream().map(Column::head).toList());
    cells
        .entrySet()
        .forEach(
            each -> rows.add(columns.stream().map(column -> column.cell().apply(each)).toList()));
    return rows;
  }

  private boolean any(String figure) {
    return cells.values().stream()
        .flatMap(List::stream)
        .anyMatch(run -> run.at(figure).asDouble() > 0);
  }

  private static Column figure(String head, String pointer, DoubleFunction<String> text) {
    return new Column(head, each -> shown(each.getValue(), pointer, text));
  }

  /// Returns the mean of the runs that have the figure, and its interval where it has one.
  private static String shown(List<JsonNode> runs, String pointer, DoubleFunction<String> text) {
    String stats = pointer.substring(0, Math.max(1, pointer.lastIndexOf('/')));
    List<Double> known =
        runs.stream()
            .filter(run -> run.at(stats + "/count").asLong(1) > 0)
            .map(run -> run.at(pointer).asDouble())
            .toList();
    if (known.isEmpty()) {
      return "-";
    }
    ConfidenceInterval mean = ConfidenceInterval.of(known);
    double width = mean.plusMinus().orElse(0);
    return text.apply(mean.mean()) + (width > 0 ? " +-" + text.apply(width) : "");
  }

  private static String notDone(List<JsonNode> runs) {
    double mean =
        runs.stream()
            .mapToLong(run -> run.path("jobs").asLong() - run.at("/states/done").asLong())
            .average()
            .orElse(0);
    return String.format(Locale.ROOT, mean % 1 == 0 ? "%.0f" : "%.1f", mean);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f%%", 100 * share);
  }

  private static String whole(double figure) {
    return String.format(Locale.ROOT, "%,.0f", figure);
  }

  private static String hundredth(double figure) {
    return String.format(Locale.ROOT, "%.2f", figure);
  }

  private static String lines(List<List<String>> rows) {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        int column = i;
        int width = rows.stream().mapToInt(each -> each.get(column).length()).max().orElse(0);
        text.repeat(' ', width - row.get(i).length() + (i == 0 ? 0 : 2)).append(row.get(i));
      }
      text.append('\n');
    }
    return text.append('\n').toString();
  }
}
