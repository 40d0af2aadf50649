package dev.muster.simulator.trace;

import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalDouble;

/// The jobs of a trace, in order of submission (equal times in file order), read as they are asked
/// for. Can be walked once; close it afterwards.
public interface Trace extends Iterator<TraceJob>, AutoCloseable {
  /// The instant that submission times count from; the epoch when the trace does not say.
  Instant start();

  /// What the reader assumed about units and what it left out, a sentence each.
  List<String> assumptions();

  /// How many bad rows were left out so far; 0 unless bad rows are to be skipped.
  default long skipped() {
    return 0;
  }

  /// What share of it was handed out so far, 0 to 1: of its jobs, or of the file where they are
  /// read from there one by one; absent when nobody knows.
  default OptionalDouble share() {
    return OptionalDouble.empty();
  }

  @Override
  void close();
}
