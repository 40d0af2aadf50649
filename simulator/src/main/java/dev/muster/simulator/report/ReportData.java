package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.Sample;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/// The data of the charts in the report, as JSON of a bounded size.
final class ReportData {
  private static final int POINTS = 400;
  private static final int STAYS = 6_000;
  private static final int STAYS_OF_ALL = 12_000;

  private ReportData() {}

  static JsonNode of(RunResult run) {
    return of(run, 1);
  }

  /// Returns the data of one of several runs on a page, which share the number of drawn stays.
  static JsonNode of(RunResult run, int runs) {
    ObjectNode picture = ResultFiles.JSON.createObjectNode();
    picture.set("course", course(run.samples()));
    picture.set(
        "wait",
        shares(run.jobs().stream().flatMapToLong(j -> j.waitMillis().stream()).asDoubleStream()));
    picture.set(
        "jct",
        shares(run.jobs().stream().flatMapToLong(j -> j.jctMillis().stream()).asDoubleStream()));
    picture.set("heat", HeatMap.of(run));
    picture.set("gantt", Gantt.of(run, Math.min(STAYS, STAYS_OF_ALL / runs)));
    picture.set("flows", PreemptionFlows.of(run));
    return picture;
  }

  private static ObjectNode course(List<Sample> samples) {
    ObjectNode course = ResultFiles.JSON.createObjectNode();
    put(course, "to_s", samples, sample -> sample.toMillis() / 1000.0);
    put(course, "total_gpus", samples, Sample::totalGpus);
    put(course, "used_gpus", samples, Sample::usedGpus);
    put(course, "stranded_gpus", samples, Sample::strandedGpus);
    put(course, "running_gangs", samples, Sample::runningGangs);
    put(course, "waiting_gangs", samples, Sample::waitingGangs);
    put(course, "waiting_gpus", samples, Sample::waitingGpus);
    return course;
  }

  private static void put(
      ObjectNode course, String name, List<Sample> samples, ToDoubleFunction<Sample> figure) {
    ArrayNode list = course.putArray(name);
    samples.forEach(sample -> list.add(short4(figure.applyAsDouble(sample))));
  }

  /// Returns points of a cumulative distribution: seconds, and the share of jobs up to them.
  ///
  /// Many jobs are sampled at equal steps of the share.
  private static ArrayNode shares(DoubleStream millis) {
    double[] sorted = millis.sorted().toArray();
    ArrayNode list = ResultFiles.JSON.createArrayNode();
    int points = Math.min(POINTS, sorted.length);
    for (int i = 0; i < points; i++) {
      int at = points == 1 ? 0 : (int) ((long) i * (sorted.length - 1) / (points - 1));
      list.addArray().add(sorted[at] / 1000).add(short4((at + 1.0) / sorted.length));
    }
    return list;
  }

  /// Rounds to a ten-thousandth, which is precise enough for a chart.
  static double short4(double figure) {
    return Math.rint(figure * 1e4) / 1e4;
  }
}
