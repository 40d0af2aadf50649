package dev.muster.simulator.trace;

import dev.muster.simulator.file.Row;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Makes jobs of the rows of one format. One object reads one file.
interface RowReader {
  /// The job in the row; empty when it is left out on purpose.
  ///
  /// @throws BadFile if the row cannot be read
  Optional<TraceJob> read(Row row);

  /// What was assumed, and what was left out so far.
  List<String> assumptions();

  /// Whether times are of a wall clock: then they are counted from the first submission.
  default boolean isClock() {
    return false;
  }

  /// The instant that times count from, where they are not of a wall clock.
  default Instant start() {
    return Instant.EPOCH;
  }

  /// The jobs when all rows have been read: a place to add what only the whole file tells.
  default List<TraceJob> completed(List<TraceJob> jobs) {
    return jobs;
  }
}
