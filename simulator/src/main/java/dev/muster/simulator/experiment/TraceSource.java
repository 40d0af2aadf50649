package dev.muster.simulator.experiment;

import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceFiles;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A trace that can be walked as often as it is needed.
public interface TraceSource {
  /// How the user called it.
  String name();

  /// Its jobs, from the first.
  Trace open();

  /// A file.
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

  /// These jobs.
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

  /// The same jobs, kept in memory when they are first read.
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

  /// What is said of a trace without jobs: figures of nothing would look like good ones.
  static IllegalArgumentException empty(String name, long skipped) {
    return new IllegalArgumentException(
        skipped > 0
            ? "Trace %s has no jobs: none of its %,d rows could be read. Without --skip-bad the first error is shown."
                .formatted(name, skipped)
            : "Trace %s has no jobs. Jobs without GPUs are left out in most formats."
                .formatted(name));
  }
}
