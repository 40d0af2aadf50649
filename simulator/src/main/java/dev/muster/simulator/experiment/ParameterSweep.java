package dev.muster.simulator.experiment;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.simulator.file.AtomicFiles;
import dev.muster.simulator.file.JsonCells;
import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.report.ResultFiles;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.SummaryCalculation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// A Cartesian product of runs, with one result file per run.
///
/// A result is written as soon as its run is done, so an interrupted sweep resumes. Parts of a
/// sweep can run on other machines; copying their files together merges them.
///
/// @param points all runs, at least one, in the order of the product; the last axis moves fastest
/// @param folder the folder of the files
public record ParameterSweep(List<Point> points, Path folder) {
  /// The largest number of runs.
  private static final int MOST_RUNS = 100_000;

  private static final JsonMapper JSON = new JsonMapper();

  /// One run of the product.
  ///
  /// @param values the value of each axis, by its name
  /// @param fingerprint hash of all other inputs: it differs where any of them differs
  public record Point(SortedMap<String, String> values, Scenario scenario, String fingerprint) {}

  public ParameterSweep {
    points = List.copyOf(points);
  }

  /// Checks a number of runs before they are listed.
  ///
  /// @throws IllegalArgumentException if a sweep cannot have so many
  public static void checkRuns(long runs) {
    if (runs > MOST_RUNS) {
      throw new IllegalArgumentException(
          "More than %,d runs, the maximum of a sweep. The number of runs is the product of the numbers of values."
              .formatted(MOST_RUNS));
    }
  }

  private Path file(int number) {
    return folder.resolve(name(number));
  }

  private static String name(int number) {
    return String.format(Locale.ROOT, "runs/%06d.json", number);
  }

  /// Returns the numbers of the runs of a part that are not done yet.
  ///
  /// @param index number of the part, from 0
  /// @param of number of parts
  /// @throws IllegalArgumentException if the folder holds runs of another sweep
  public List<Integer> missing(int index, int of) {
    List<Integer> missing = new ArrayList<>();
    for (int number = index; number < points.size(); number += of) {
      if (Files.exists(file(number))) {
        checked(number);
      } else {
        missing.add(number);
      }
    }
    return missing;
  }

  /// Reads the file of a run and checks that it belongs to this sweep.
  private JsonNode checked(int number) {
    JsonNode run = read(number);
    Point point = points.get(number);
    Map<String, String> values = new TreeMap<>();
    run.path("axes")
        .properties()
        .forEach(axis -> values.put(axis.getKey(), axis.getValue().asText()));
    if (!values.equals(point.values())) {
      throw new IllegalArgumentException(
          "%s: run of %s, but run %d of this sweep is %s. The folder belongs to another sweep."
              .formatted(file(number), values, number, point.values()));
    }
    if (!run.path("fingerprint").asText().equals(point.fingerprint())) {
      throw new IllegalArgumentException(
          "%s: run of %s with another trace, fleet file or options, or of another version of Muster. The folder belongs to another sweep."
              .formatted(file(number), values));
    }
    return run;
  }

  private JsonNode read(int number) {
    String wrong = "is not a JSON object.";
    try {
      JsonNode run = JSON.readTree(Files.readAllBytes(file(number)));
      if (run.isObject()) {
        return run;
      }
    } catch (JsonProcessingException e) {
      wrong = JsonCells.fault(e);
    } catch (IOException e) {
      wrong = "cannot be read: %s.".formatted(e);
    }
    throw MalformedFile.ofFile(file(number).toString(), wrong + " Delete it to repeat the run.");
  }

  /// Writes the result of a run, unless the run was cut short.
  public void keep(int number, RunResult run) {
    if (run.cutShort()) {
      return;
    }
    ObjectNode node = JSON.createObjectNode();
    ObjectNode axes = node.putObject("axes");
    points.get(number).values().forEach(axes::put);
    node.put("fingerprint", points.get(number).fingerprint());
    node.set("summary", ResultFiles.json(SummaryCalculation.of(run)));
    try {
      byte[] text = JSON.writeValueAsBytes(node);
      String name = name(number);
      AtomicFiles.write(folder, List.of(name), half -> Files.write(half.resolve(name), text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes `sweep.csv`, with one line for each run in the folder, including those of other
  /// machines.
  ///
  /// @return the number of runs that are done
  /// @throws IllegalArgumentException if the folder holds runs of another sweep
  public int merge() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(String.join(",", heads()));
    for (int number = 0; number < points.size(); number++) {
      if (Files.exists(file(number))) {
        lines.add(String.join(",", cells(checked(number))));
      }
    }
    AtomicFiles.write(
        folder, List.of("sweep.csv"), half -> Files.write(half.resolve("sweep.csv"), lines));
    return lines.size() - 1;
  }

  /// The summary of a run, with the values of its axes.
  public record Result(SortedMap<String, String> values, JsonNode summary) {}

  /// Returns the runs that are done.
  public List<Result> results() {
    List<Result> results = new ArrayList<>();
    for (int number = 0; number < points.size(); number++) {
      if (Files.exists(file(number))) {
        results.add(new Result(points.get(number).values(), checked(number).path("summary")));
      }
    }
    return results;
  }

  private static final List<String> FIGURES =
      List.of(
          "wait_s/mean",
          "wait_s/p50",
          "wait_s/p95",
          "wait_s/p99",
          "jct_s/mean",
          "jct_s/p50",
          "jct_s/p95",
          "jct_s/p99",
          "slowdown/mean",
          "makespan_s",
          "utilisation",
          "preemptions",
          "gpu_hours",
          "lost_gpu_hours",
          "stranded_gpu_hours",
          "cost",
          "cloud/node_hours",
          "fairness",
          "jobs",
          "states/done",
          "states/running",
          "states/waiting",
          "states/rejected",
          "states/unfinished",
          "node_losses",
          "goodput",
          "cost_per_month",
          "cost_per_gpu_hour");

  private List<String> heads() {
    List<String> heads = new ArrayList<>(points.getFirst().values().keySet());
    FIGURES.forEach(figure -> heads.add(figure.replace('/', '.')));
    return heads;
  }

  private static List<String> cells(JsonNode run) {
    List<String> cells = new ArrayList<>();
    run.get("axes").forEach(value -> cells.add("\"" + value.asText().replace("\"", "\"\"") + "\""));
    FIGURES.forEach(figure -> cells.add(cell(run.get("summary"), figure)));
    return cells;
  }

  /// Returns a cell; it is empty for a figure of a distribution without values.
  private static String cell(JsonNode summary, String figure) {
    boolean known = summary.path(figure.split("/", -1)[0]).path("count").asLong(1) > 0;
    return known ? summary.at("/" + figure).asText() : "";
  }
}
