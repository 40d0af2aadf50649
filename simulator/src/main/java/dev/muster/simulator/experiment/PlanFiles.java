package dev.muster.simulator.experiment;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.simulator.file.AtomicFiles;
import dev.muster.simulator.report.HtmlReport;
import dev.muster.simulator.summary.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Writes a plan as `plan.csv`, one row for each number of nodes, as `plan.json` and as a report.
public final class PlanFiles {
  /// The version of the first two files.
  public static final String VERSION = "muster-plan/v1";

  /// The names of the files.
  public static final List<String> NAMES = List.of("plan.csv", "plan.json", "report.html");

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final List<String> COLUMNS =
      List.of(
          "nodes",
          "gpus",
          "meets",
          "figure",
          "unfinished",
          "utilisation",
          "draws_met",
          "draws",
          "cost_per_month",
          "cost_per_gpu_hour");

  private PlanFiles() {}

  /// Writes all files or none.
  ///
  /// @param scenario what was planned for
  public static void write(Planned planned, Scenario scenario, Path folder) throws IOException {
    ObjectNode plan = json(planned, scenario);
    List<String> lines = new ArrayList<>();
    lines.add(String.join(",", COLUMNS));
    for (var point : plan.withArray("curve")) {
      lines.add(
          String.join(",", COLUMNS.stream().map(column -> point.path(column).asText("")).toList()));
    }
    AtomicFiles.write(
        folder,
        NAMES,
        half -> {
          Files.write(half.resolve("plan.csv"), lines);
          Files.write(half.resolve("plan.json"), JSON.writeValueAsBytes(plan));
          HtmlReport.write(
              List.of(), PlanVerdict.of(planned, scenario), half.resolve("report.html"));
        });
  }

  private static ObjectNode json(Planned planned, Scenario scenario) {
    FleetPlan.Found found = planned.found();
    ObjectNode plan = JSON.createObjectNode();
    plan.put("version", VERSION).put("trace", scenario.trace().name());
    plan.put("policy", scenario.variant().name())
        .put("placement", scenario.variant().placementName());
    plan.put("seed", scenario.seed()).put("goal", planned.goal()).put("node", planned.node());
    plan.put("most", planned.most()).put("cut_short", found.stopped());
    found.nodes().ifPresent(nodes -> plan.put("nodes", nodes));
    found
        .band()
        .ifPresent(band -> {
          ObjectNode range = plan.putObject("range").put("low", band.low());
          band.high().ifPresent(high -> range.put("high", high));
          range.put("confidence", band.confidence());
          range.put("draws", band.draws()).put("drawn", band.unit());
        });
    found.never().ifPresent(job -> plan.put("never", job.id()));
    ArrayNode curve = plan.putArray("curve");
    found.curve().forEach((nodes, run) -> point(curve.addObject(), nodes, run, planned));
    ArrayNode assumptions = plan.putArray("assumptions");
    found.curve().values().stream()
        .findFirst()
        .map(Summary::assumptions)
        .ifPresent(each -> each.forEach(assumptions::add));
    return plan;
  }

  private static void point(ObjectNode point, int nodes, Summary run, Planned planned) {
    PlanGoal wanted = planned.wanted();
    point.put("nodes", nodes).put("gpus", run.gpus()).put("meets", wanted.isMet(run));
    wanted.of(run).ifPresent(figure -> point.put("figure", figure));
    point.put("unfinished", wanted.unfinished(run)).put("utilisation", run.utilisation());
    planned
        .found()
        .band()
        .filter(band -> band.met().containsKey(nodes))
        .ifPresent(band ->
            point.put("draws_met", band.met().getOrDefault(nodes, 0)).put("draws", band.draws()));
    point.put("cost_per_month", run.costPerMonth()).put("cost_per_gpu_hour", run.costPerGpuHour());
  }
}
