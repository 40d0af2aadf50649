package dev.muster.simulator.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.report.Headline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The headline of a sweep: the combination with the shortest mean wait, and all in one picture.
public final class SweepVerdict {
  private static final String WAIT = "/wait_s/mean";

  private SweepVerdict() {}

  /// The runs of a combination of values, one for each seed.
  private record Cell(String name, List<JsonNode> runs) {
    double mean(String pointer) {
      return runs.stream().mapToDouble(run -> run.at(pointer).asDouble()).average().orElse(0);
    }
  }

  /// Returns the headline.
  ///
  /// @param runs at least one
  /// @param table the table of all combinations
  public static Headline of(List<ParameterSweep.Result> runs, Headline.Table table) {
    List<Cell> cells = cells(runs);
    Cell best =
        cells.stream()
            .min(
                Comparator.<Cell>comparingDouble(each -> -each.mean("/states/done"))
                    .thenComparingDouble(each -> each.mean(WAIT)))
            .orElseThrow();
    boolean priced = cells.stream().anyMatch(each -> each.mean("/cost_per_month") > 0);
    JsonNode first = runs.getFirst().summary();
    return new Headline(
        "%s, %d runs.".formatted(Variant.last(first.path("trace").asText()), runs.size()),
        "Of %d combinations, %s has the shortest mean wait: %s."
            .formatted(cells.size(), best.name(), FigureText.time(best.mean(WAIT))),
        List.of(
            new Headline.Figure("mean wait", FigureText.time(best.mean(WAIT))),
            new Headline.Figure("p95 wait", FigureText.time(best.mean("/wait_s/p95"))),
            Headline.money(
                best.mean("/cost"),
                best.mean("/cost_per_month"),
                best.mean("/stranded_gpu_hours"))),
        new Headline.Plot(
            priced ? "cost per month" : "GPUs of the fleet",
            "p95 wait (log scale)",
            true,
            null,
            null,
            null,
            cells.stream()
                .map(each ->
                    new Headline.Point(
                        each.name(),
                        each.mean(priced ? "/cost_per_month" : "/gpus"),
                        each.mean("/wait_s/p95"),
                        each.equals(best)))
                .toList()),
        List.of("Figures are means over the seeds, with 95 % confidence intervals."),
        common(runs),
        List.of(table));
  }

  private static List<Cell> cells(List<ParameterSweep.Result> runs) {
    Map<String, List<JsonNode>> cells = new LinkedHashMap<>();
    for (ParameterSweep.Result run : runs) {
      cells.computeIfAbsent(name(run.values(), runs), _ -> new ArrayList<>()).add(run.summary());
    }
    return cells.entrySet().stream().map(each -> new Cell(each.getKey(), each.getValue())).toList();
  }

  /// Returns the values of the axes with several values, without the seed.
  private static String name(SortedMap<String, String> values, List<ParameterSweep.Result> runs) {
    SortedMap<String, String> shown = new TreeMap<>(values);
    shown.remove("seed");
    shown
        .keySet()
        .removeIf(axis -> runs.stream().map(run -> run.values().get(axis)).distinct().count() < 2);
    List<String> names = new ArrayList<>();
    shown.forEach((axis, value) -> names.add(text(axis, value)));
    return names.isEmpty() ? String.valueOf(values.get("policy")) : String.join(", ", names);
  }

  private static String text(String axis, String value) {
    return switch (axis) {
      case "cluster" -> Variant.last(value);
      case "policy" -> value;
      case "config", "preemption" -> axis + " " + Variant.last(value);
      default -> axis + " " + value;
    };
  }

  private static List<String> common(List<ParameterSweep.Result> runs) {
    List<String> common = new ArrayList<>();
    for (JsonNode sentence : runs.getFirst().summary().path("assumptions")) {
      if (runs.stream().allMatch(run -> has(run.summary(), sentence))) {
        common.add(sentence.asText());
      }
    }
    return common;
  }

  private static boolean has(JsonNode summary, JsonNode sentence) {
    for (JsonNode each : summary.path("assumptions")) {
      if (each.equals(sentence)) {
        return true;
      }
    }
    return false;
  }
}
