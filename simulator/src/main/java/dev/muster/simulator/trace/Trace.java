package dev.muster.simulator.trace;

import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalDouble;

/// The jobs of a trace in order of submission, read on demand.
///
/// Equal times keep the order of the file. A trace can be read once and must be closed afterwards.
public interface Trace extends Iterator<TraceJob>, AutoCloseable {
  /// The instant that submission times count from; the epoch when the trace has none.
  Instant start();

  /// The reader's assumptions about units, and the rows that it left out, one sentence each.
  List<String> assumptions();

  /// The number of bad rows left out so far; 0 unless bad rows are to be skipped.
  default long skipped() {
    return 0;
  }

  /// The share of the trace that was returned so far, 0 to 1; absent when unknown.
  ///
  /// It is the share of the jobs, or of the file where jobs are read one by one.
  default OptionalDouble share() {
    return OptionalDouble.empty();
  }

  @Override
  void close();
}
