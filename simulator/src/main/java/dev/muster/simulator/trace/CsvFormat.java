package dev.muster.simulator.trace;

import dev.muster.simulator.file.CsvRows;
import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;
import dev.muster.simulator.file.MalformedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/// A trace format that is a CSV table.
///
/// @param name name for users
/// @param columns required columns of the header, by which the format is detected; for files
///   without a header, all columns in the file's order
/// @param headless true if files may lack the header; the format must then be named
/// @param perWorker default of the most GPUs per member; 0 where each row has its workers
/// @param reader creates the reader of one file
public record CsvFormat(
    String name,
    List<String> columns,
    boolean headless,
    int perWorker,
    Function<GangFactory, RowReader> reader)
    implements TraceFormat {

  /// A table with a header, in which rows have the number of workers.
  public static CsvFormat ofWorkers(
      String name, List<String> columns, Function<GangFactory, RowReader> reader) {
    return new CsvFormat(name, columns, false, 0, reader);
  }

  /// A table with a header, of jobs on nodes of 8 GPUs.
  public static CsvFormat of(
      String name, List<String> columns, Function<GangFactory, RowReader> reader) {
    return new CsvFormat(name, columns, false, 8, reader);
  }

  @Override
  public boolean recognises(FileHead head) {
    return head.has(Set.copyOf(columns));
  }

  @Override
  public boolean hasWorkers() {
    return perWorker == 0;
  }

  @Override
  public Trace open(InputFile source, TraceOptions options) {
    boolean titled = recognises(source.head());
    if (!titled && !headless) {
      List<String> found = source.head().columns();
      List<String> missing = columns.stream().filter(name -> !found.contains(name)).toList();
      throw MalformedFile.ofFile(
          source.file(),
          "not in the format %s with the columns %s: %s missing."
              .formatted(name, columns, missing));
    }
    RowReader rows = reader.apply(new GangFactory(options.gpusPerWorker().orElse(perWorker)));
    try (BufferedReader text = source.reader()) {
      CsvRows table = new CsvRows(source, text, titled ? null : columns);
      return SortedJobs.of(table, rows, options.skipBad());
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }
}
