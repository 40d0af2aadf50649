package dev.muster.simulator.trace;

import dev.muster.simulator.file.Head;
import dev.muster.simulator.file.Source;

/// One of the layouts that traces come in.
interface TraceFormat {
  /// What users call it.
  String name();

  /// Whether a file that begins so is of this format.
  boolean recognises(Head head);

  /// Whether it tells of each worker, so that none has to be made of the GPUs of a whole job.
  default boolean tellsWorkers() {
    return false;
  }

  /// Reads the file.
  ///
  /// @throws BadFile if it is not of this format, now or when a job is asked for
  Trace open(Source source, TraceOptions options);
}
