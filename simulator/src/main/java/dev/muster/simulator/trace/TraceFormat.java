package dev.muster.simulator.trace;

import dev.muster.simulator.file.FileHead;
import dev.muster.simulator.file.InputFile;

/// A file format of traces.
public interface TraceFormat {
  /// The name for users.
  String name();

  /// True if a file with this beginning has the format.
  boolean recognises(FileHead head);

  /// True if it lists workers, so that none are derived from the GPUs of a whole job.
  default boolean hasWorkers() {
    return false;
  }

  /// Reads the file.
  ///
  /// @throws MalformedFile if it does not have this format, now or when a job is read
  Trace open(InputFile source, TraceOptions options);
}
