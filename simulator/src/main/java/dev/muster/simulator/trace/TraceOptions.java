package dev.muster.simulator.trace;

import java.util.Optional;
import java.util.OptionalInt;

/// Options for reading a trace.
///
/// @param format name of its format, one of [TraceFiles#names()]; absent: detected from the content
/// @param skipBad true to leave out and count rows that cannot be read; otherwise they are errors
/// @param gpusPerWorker most GPUs of one member, at least 1, where the trace has only the GPUs of a
///   whole job; absent: the default of the format
public record TraceOptions(Optional<String> format, boolean skipBad, OptionalInt gpusPerWorker) {
  /// The defaults: the format is detected from the content, and a bad row is an error.
  public static final TraceOptions DEFAULT =
      new TraceOptions(Optional.empty(), false, OptionalInt.empty());

  public TraceOptions {
    if (gpusPerWorker.isPresent() && gpusPerWorker.getAsInt() < 1) {
      throw new IllegalArgumentException(
          "--gpus-per-worker %d: must be 1 or more.".formatted(gpusPerWorker.getAsInt()));
    }
  }
}
