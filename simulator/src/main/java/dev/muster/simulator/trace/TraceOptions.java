package dev.muster.simulator.trace;

import java.util.Optional;
import java.util.OptionalInt;

/// How a trace is to be read.
///
/// @param format the name of its format, one of [TraceFiles#names()]; absent: told by its content
/// @param skipBad whether rows that cannot be read are left out and counted, not refused
/// @param gpusPerWorker how many GPUs one member has at most, at least 1, where the trace tells
///   only the GPUs of a whole job; absent: what is usual for the format
public record TraceOptions(Optional<String> format, boolean skipBad, OptionalInt gpusPerWorker) {
  /// The format is told by the content, and a bad row is an error.
  public static final TraceOptions DEFAULT =
      new TraceOptions(Optional.empty(), false, OptionalInt.empty());

  public TraceOptions {
    if (gpusPerWorker.isPresent() && gpusPerWorker.getAsInt() < 1) {
      throw new IllegalArgumentException(
          "--gpus-per-worker %d: must be 1 or more.".formatted(gpusPerWorker.getAsInt()));
    }
  }
}
