package dev.muster.simulator.run;

import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/// The jobs of a trace in the order of submission. Jobs of one instant are ordered by priority,
/// higher first, then by their order in the trace.
///
/// The engine decides after each job. In the order of the file alone, an earlier line would start
/// before a more important job of equal submit time.
final class Submissions {
  private final Trace trace;
  private final ToIntFunction<TraceJob> recorder;
  private final Comparator<Submitted> order;
  private final ArrayDeque<Submitted> now = new ArrayDeque<>();
  private Optional<TraceJob> next;
  private int taken;

  /// A job, with its index in the order of the trace.
  record Submitted(int index, TraceJob job) {}

  /// @param priority effective priority of a job
  /// @param recorder records the submission of a job, in the order of the trace, and returns its
  ///   index
  Submissions(Trace trace, ToIntFunction<TraceJob> priority, ToIntFunction<TraceJob> recorder) {
    this.trace = trace;
    this.order =
        Comparator.comparingInt((Submitted job) -> priority.applyAsInt(job.job())).reversed();
    this.recorder = recorder;
    this.next = read();
  }

  private Optional<TraceJob> read() {
    return trace.hasNext() ? Optional.of(trace.next()) : Optional.empty();
  }

  /// Returns the number of jobs taken.
  int taken() {
    return taken;
  }

  /// Returns the time of the next submission, or [EventQueue#NEVER].
  long nextAt() {
    Submitted due = now.peek();
    if (due != null) {
      return due.job().submitMillis();
    }
    return next.map(TraceJob::submitMillis).orElse(EventQueue.NEVER);
  }

  /// Takes the next job.
  Submitted take() {
    if (now.isEmpty()) {
      long at = nextAt();
      List<Submitted> all = new ArrayList<>(1);
      while (next.isPresent() && next.get().submitMillis() == at) {
        TraceJob job = next.get();
        all.add(new Submitted(recorder.applyAsInt(job), job));
        next = read();
      }
      all.sort(order);
      now.addAll(all);
    }
    taken++;
    return now.remove();
  }
}
