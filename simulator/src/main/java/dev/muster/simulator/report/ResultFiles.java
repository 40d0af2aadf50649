package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.simulator.run.JobOutcome;
import dev.muster.simulator.run.RunResult;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/// The files that a run leaves behind: `jobs.csv`, `summary.json` and `report.html`.
public final class ResultFiles {
  static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private static final List<String> COLUMNS =
      List.of(
          "job_id",
          "queue",
          "user",
          "project",
          "priority",
          "workers",
          "gpus",
          "submit_s",
          "run_s",
          "start_s",
          "end_s",
          "wait_s",
          "queued_s",
          "jct_s",
          "slowdown",
          "held_s",
          "preemptions",
          "lost_gpu_s",
          "nodes",
          "state");

  private ResultFiles() {}

  /// Writes all of them into a folder, which is made if it is not there; those of an earlier run
  /// are replaced.
  ///
  /// @return the figures of the run
  public static Summary write(RunResult run, Path folder) throws IOException {
    Files.createDirectories(folder);
    Summary summary = Summaries.of(run);
    writeJobs(run, folder.resolve("jobs.csv"));
    Files.write(folder.resolve("summary.json"), JSON.writeValueAsBytes(json(summary)));
    HtmlReport.write(run, summary, folder.resolve("report.html"));
    return summary;
  }

  /// The content of `summary.json`.
  public static JsonNode json(Summary summary) {
    return JSON.valueToTree(summary);
  }

  /// Writes `jobs.csv`: a row for every job, in order of submission. Unknown values are empty. The
  /// last columns tell how many domains of each level it ran in.
  public static void writeJobs(RunResult run, Path file) throws IOException {
    List<TopologyLevel> levels = run.fleet().topology().levels();
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      List<String> header = new ArrayList<>(COLUMNS);
      levels.forEach(level -> header.add(level.name() + "_domains"));
      csv.writeRecord(header);
      for (JobOutcome job : run.jobs()) {
        csv.writeRecord(row(job, levels.size()));
      }
    }
  }

  private static List<String> row(JobOutcome outcome, int levels) {
    var job = outcome.job();
    List<String> row = new ArrayList<>(COLUMNS.size() + levels);
    row.add(job.id());
    row.add(job.queue());
    row.add(job.user());
    row.add(job.project());
    row.add(String.valueOf(job.priority()));
    row.add(String.valueOf(job.workers()));
    row.add(thousandth(job.gpuMilli()));
    row.add(thousandth(job.submitMillis()));
    row.add(thousandth(job.runMillis()));
    row.add(outcome.startMillis() < 0 ? "" : thousandth(outcome.startMillis()));
    row.add(outcome.endMillis() < 0 ? "" : thousandth(outcome.endMillis()));
    row.add(known(outcome.waitMillis()));
    row.add(known(outcome.queuedMillis()));
    row.add(known(outcome.jctMillis()));
    row.add(outcome.endMillis() < 0 ? "" : String.valueOf(Rounded.of(Group.slowdownOf(outcome))));
    row.add(thousandth(outcome.heldMillis()));
    row.add(String.valueOf(outcome.preemptions()));
    row.add(thousandth(outcome.lostGpuMillis()));
    row.add(String.valueOf(outcome.nodes()));
    row.add(outcome.state().name().toLowerCase(Locale.ROOT));
    for (int level = 0; level < levels; level++) {
      row.add(outcome.span().isEmpty() ? "" : String.valueOf(outcome.span().get(level)));
    }
    return row;
  }

  private static String known(OptionalLong millis) {
    return millis.isPresent() ? thousandth(millis.getAsLong()) : "";
  }

  /// Thousandths as a decimal without needless zeros: 1500 is `1.5`.
  private static String thousandth(long thousandths) {
    return thousandths % 1000 == 0
        ? String.valueOf(thousandths / 1000)
        : BigDecimal.valueOf(thousandths, 3).stripTrailingZeros().toPlainString();
  }
}
