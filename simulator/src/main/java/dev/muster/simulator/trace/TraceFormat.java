package dev.muster.simulator.trace;

import dev.muster.simulator.file.Head;
import dev.muster.simulator.file.Source;

/// One of the layouts that traces come in.
interface TraceFormat {
  /// What users call it.
  String name();

  /// Whether a file that begins so is of this format.
  boolean recognises(Head head);

  /// Reads the file.
  ///
  /// @throws BadFile if it is not of this format, now or when a job is asked for
  Trace open(Source source, TraceOptions options);
}
