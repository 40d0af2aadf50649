package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.muster.simulator.file.WholeFiles;
import dev.muster.simulator.run.JobOutcome;
import dev.muster.simulator.run.RunResult;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

/// The files that a run leaves behind: `jobs.csv`, `summary.json` and `report.html`, and
/// `jobs.parquet` where it is wanted.
public final class ResultFiles {
  static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  /// The names of the files.
  public static final List<String> NAMES =
      List.of("jobs.csv", "summary.json", "report.html", "jobs.parquet");

  private ResultFiles() {}

  /// Writes the first three into a folder, which is made if it is not there.
  ///
  /// @return the figures of the run
  public static Summary write(RunResult run, Path folder) throws IOException {
    return write(run, folder, false);
  }

  /// Writes them all, or none; those of an earlier run are replaced, or removed.
  ///
  /// @param parquet whether `jobs.parquet` is wanted
  /// @return the figures of the run
  public static Summary write(RunResult run, Path folder, boolean parquet) throws IOException {
    AtomicReference<Summary> figures = new AtomicReference<>();
    WholeFiles.write(
        folder,
        NAMES,
        half -> {
          try (ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<JsonNode> picture = beside.submit(() -> Picture.of(run)); // half of the work
            Future<?> jobs =
                beside.submit(() -> {
                  writeJobs(run, half.resolve("jobs.csv"));
                  return null;
                });
            figures.set(Summaries.of(run));
            writeFigures(run, figures.get(), done(picture), half);
            if (parquet) {
              writeParquet(run, half.resolve("jobs.parquet"));
            }
            done(jobs);
          }
        });
    return figures.get();
  }

  private static void writeFigures(RunResult run, Summary summary, JsonNode picture, Path folder)
      throws IOException {
    JsonNode json = json(summary);
    Files.write(folder.resolve("summary.json"), JSON.writeValueAsBytes(json));
    Files.writeString(folder.resolve("report.html"), HtmlReport.page(run, json, picture));
  }

  private static <T> T done(Future<T> made) throws IOException {
    try {
      return made.get();
    } catch (ExecutionException failed) {
      switch (Objects.requireNonNull(failed.getCause())) {
        case IOException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause; // such as no memory, which has words of its own
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

  /// Writes `jobs.csv`: a row for every job, in order of submission. Unknown values are empty. The
  /// last columns tell how many domains of each level it ran in.
  private static void writeJobs(RunResult run, Path file) throws IOException {
    List<Column<JobOutcome>> columns = JobColumns.of(run.fleet().topology().levels());
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(columns.stream().map(Column::name).toList());
      String[] cells = new String[columns.size()];
      for (JobOutcome job : run.jobs()) {
        for (int i = 0; i < cells.length; i++) {
          cells[i] = cell(columns.get(i), job);
        }
        csv.writeRecord(cells);
      }
    }
  }

  /// Writes `jobs.parquet`: the rows and columns of `jobs.csv`, with types.
  private static void writeParquet(RunResult run, Path file) throws IOException {
    List<Column<JobOutcome>> columns = JobColumns.of(run.fleet().topology().levels());
    Map<String, String> notes = Map.of("version", Summaries.VERSION);
    ParquetFile.write(file, columns, run.jobs(), notes);
  }

  private static String cell(Column<JobOutcome> column, JobOutcome job) {
    Object cell = column.of().apply(job);
    return cell == null
        ? ""
        : column.type() == Column.Type.THOUSANDTHS
            ? thousandth(((Number) cell).longValue())
            : cell.toString();
  }

  /// Thousandths as a decimal without needless zeros: 1500 is `1.5`.
  private static String thousandth(long thousandths) {
    return thousandths % 1000 == 0
        ? Long.toString(thousandths / 1000) // most of them
        : BigDecimal.valueOf(thousandths, 3).stripTrailingZeros().toPlainString();
  }
}
