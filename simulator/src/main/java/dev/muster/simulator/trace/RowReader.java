package dev.muster.simulator.trace;

import dev.muster.simulator.file.InputRow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Creates jobs from the rows of one format; one object reads one file.
public interface RowReader {
  /// Returns the job of a row; empty when the row is left out on purpose.
  ///
  /// @throws MalformedFile if the row cannot be read
  Optional<TraceJob> read(InputRow row);

  /// Returns the assumptions of the reader, and the numbers of rows left out so far.
  List<String> assumptions();

  /// True if times are wall-clock times, which are then counted from the first submission.
  default boolean isClock() {
    return false;
  }

  /// The origin of times that are not wall-clock times.
  default Instant start() {
    return Instant.EPOCH;
  }

  /// Completes the jobs after all rows have been read, with values known only from the whole file.
  default List<TraceJob> completed(List<TraceJob> jobs) {
    return jobs;
  }
}
