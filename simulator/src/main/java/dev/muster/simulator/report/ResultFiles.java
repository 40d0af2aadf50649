package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.muster.simulator.file.AtomicFiles;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

/// Writes the result files of a run: `jobs.csv`, `summary.json` and `report.html`.
public final class ResultFiles {
  static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  /// The names of the files.
  public static final List<String> NAMES = List.of("jobs.csv", "summary.json", "report.html");

  private ResultFiles() {}

  /// Writes all files or none; files of an earlier run are replaced.
  ///
  /// @param folder the target folder, created if it does not exist
  /// @return the figures of the run
  public static Summary write(RunResult run, Path folder) throws IOException {
    AtomicReference<Summary> figures = new AtomicReference<>();
    AtomicFiles.write(
        folder,
        NAMES,
        half -> {
          try (ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<JsonNode> picture = beside.submit(() -> ReportData.of(run)); // half of the work
            Future<?> jobs =
                beside.submit(() -> {
                  writeJobs(run, half.resolve("jobs.csv"));
                  return null;
                });
            figures.set(SummaryCalculation.of(run));
            writeFigures(run, figures.get(), done(picture), half);
            done(jobs);
          }
        });
    return figures.get();
  }

  private static void writeFigures(RunResult run, Summary summary, JsonNode picture, Path folder)
      throws IOException {
    JsonNode json = json(summary);
    Files.write(folder.resolve("summary.json"), JSON.writeValueAsBytes(json));
    Files.writeString(folder.resolve("report.html"), HtmlReport.page(run, summary, json, picture));
  }

  private static <T> T done(Future<T> made) throws IOException {
    try {
      return made.get();
    } catch (ExecutionException failed) {
      switch (Objects.requireNonNull(failed.getCause())) {
        case IOException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause; // for example out of memory, which has its own message
        default -> throw new IllegalStateException(failed);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the results were written");
    }
  }

  /// The content of `summary.json`.
  public static JsonNode json(Summary summary) {
    return JSON.valueToTree(summary);
  }

  /// Writes `jobs.csv`: one row per job, in order of submission.
  private static void writeJobs(RunResult run, Path file) throws IOException {
    List<TableColumn> columns = JobColumns.of(run.fleet().topology().levels());
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(columns.stream().map(TableColumn::name).toList());
      String[] cells = new String[columns.size()];
      for (JobOutcome job : run.jobs()) {
        for (int i = 0; i < cells.length; i++) {
          cells[i] = columns.get(i).cell().apply(job);
        }
        csv.writeRecord(cells);
      }
    }
  }
}
