package dev.muster.simulator.run;

import dev.muster.core.admission.Queues;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/// The jobs of a trace as they come to the scheduler: those of one instant by the priority that
/// counts, higher first, then in the order of the trace. The scheduler decides after each, so else
/// the first line of the file would start before a more important one of the same instant.
final class Submissions {
  private final Trace trace;
  private final Queues queues;
  private final ToIntFunction<TraceJob> submit;
  private final Comparator<Submitted> mostImportant =
      Comparator.comparingInt(this::priority).reversed();
  private final ArrayDeque<Submitted> now = new ArrayDeque<>();
  private Optional<TraceJob> next;

  /// A job, and its index in the order of the trace.
  record Submitted(int index, TraceJob job) {}

  /// @param submit notes that a job is submitted, in the order of the trace, and gives its index
  Submissions(Trace trace, Queues queues, ToIntFunction<TraceJob> submit) {
    this.trace = trace;
    this.queues = queues;
    this.submit = submit;
    this.next = read();
  }

  private Optional<TraceJob> read() {
    return trace.hasNext() ? Optional.of(trace.next()) : Optional.empty();
  }

  /// When the next job comes; never if there is none.
  long nextAt() {
    Submitted due = now.peek();
    if (due != null) {
      return due.job().submitMillis();
    }
    return next.isPresent() ? next.get().submitMillis() : Long.MAX_VALUE;
  }

  /// Takes the next job.
  Submitted take() {
    if (now.isEmpty()) {
      long at = nextAt();
      List<Submitted> all = new ArrayList<>(1);
      while (next.isPresent() && next.get().submitMillis() == at) {
        TraceJob job = next.get();
        all.add(new Submitted(submit.applyAsInt(job), job));
        next = read();
      }
      if (all.size() > 1) {
        all.sort(mostImportant);
      }
      now.addAll(all);
    }
    return now.remove();
  }

  private int priority(Submitted submitted) {
    return queues.priority(SimGang.queue(submitted.job()), submitted.job().priority());
  }
}
