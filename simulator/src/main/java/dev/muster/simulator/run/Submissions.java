package dev.muster.simulator.run;

import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/// The jobs of a trace as they are submitted: those of one instant by priority, higher first, then
/// in the order of the trace.
///
/// The engine decides after each job, so in the order of the file alone an earlier line would start
/// before a more important job of the same instant.
final class Submissions {
  private final Trace trace;
  private final ToIntFunction<TraceJob> recorder;
  private final Comparator<Submitted> order;
  private final ArrayDeque<Submitted> now = new ArrayDeque<>();
  private Optional<TraceJob> next;
  private int taken;

  /// A job, and its index in the order of the trace.
  record Submitted(int index, TraceJob job) {}

  /// @param priority the priority that counts
  /// @param recorder records that a job is submitted, in the order of the trace, and returns its
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

  /// How many jobs were taken.
  int taken() {
    return taken;
  }

  /// When the next job is submitted; [EventQueue#NEVER] if there is none.
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
