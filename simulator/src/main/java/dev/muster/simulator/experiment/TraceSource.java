package dev.muster.simulator.experiment;

import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import dev.muster.simulator.trace.format.TraceFiles;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A trace that can be read several times.
public interface TraceSource {
  /// The name of the trace as the user wrote it.
  String name();

  /// Opens the trace at its first job.
  Trace open();

  /// Returns a source that reads a file.
  static TraceSource of(Path file, TraceOptions options) {
    return new TraceSource() {
      @Override
      public String name() {
        return file.toString();
      }

      @Override
      public Trace open() {
        return TraceFiles.open(file, options);
      }
    };
  }

  /// Returns a source of the given jobs.
  static TraceSource of(String name, List<TraceJob> jobs) {
    return new TraceSource() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Trace open() {
        return new JobList(jobs);
      }
    };
  }

  /// Reads all jobs of a source now and keeps them in memory.
  ///
  /// @throws IllegalArgumentException if the trace has no jobs
  static TraceSource kept(TraceSource source) {
    List<TraceJob> jobs = new ArrayList<>();
    try (Trace trace = source.open()) {
      trace.forEachRemaining(jobs::add);
      if (jobs.isEmpty()) {
        throw empty(source.name(), trace.skipped());
      }
      List<String> assumptions = trace.assumptions();
      Instant start = trace.start();
      long skipped = trace.skipped();
      return new TraceSource() {
        @Override
        public String name() {
          return source.name();
        }

        @Override
        public Trace open() {
          return new JobList(jobs, start, assumptions, skipped);
        }
      };
    }
  }

  /// Returns the error for a trace without jobs, whose figures would look like good ones.
  static IllegalArgumentException empty(String name, long skipped) {
    return new IllegalArgumentException(
        skipped > 0
            ? "Trace %s has no jobs: none of its %,d rows could be read. Without --skip-bad the first error is shown."
                .formatted(name, skipped)
            : "Trace %s has no jobs. Jobs without GPUs are left out in most formats."
                .formatted(name));
  }
}
