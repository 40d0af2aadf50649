package dev.muster.simulator.run.record;

import dev.muster.core.fit.Veto;
import dev.muster.simulator.run.record.JobOutcome.State;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The record of one job so far.
final class JobRecord {
  final TraceJob job;

  /// Its current spans on nodes.
  final List<AllocationSpan> open = new ArrayList<>(1);

  State state = State.WAITING;
  long lostGpuMillis;
  Optional<Veto> why = Optional.empty();
  private long firstStart = -1;
  private long end = -1;
  private long lastStart;
  private long held;
  private double gpuTime; // of closed spans; a `long` would overflow for the longest run times
  private double gpuTimeAtStart;
  private int nodes;
  private List<Integer> span = List.of();
  private String models = "";
  private int preemptions;
  private int nodeLosses;

  JobRecord(TraceJob job) {
    this.job = job;
  }

  /// Records that it runs from now on.
  void start(long now) {
    firstStart = firstStart < 0 ? now : firstStart;
    lastStart = now;
    gpuTimeAtStart = gpuTime(now);
    state = State.RUNNING;
  }

  /// Records the number of nodes and domains of its current run.
  void span(DomainIndex spans) {
    int[] on = open.stream().mapToInt(AllocationSpan::node).distinct().toArray();
    nodes = on.length;
    span = spans.of(on);
    models = spans.models(on);
  }

  /// Records that it is stopped and waits again.
  ///
  /// @param byNode true if it lost a node
  void preempt(long now, boolean byNode) {
    held += now - lastStart;
    state = State.WAITING;
    preemptions++;
    nodeLosses += byNode ? 1 : 0;
  }

  /// Records that it is done.
  void finish(long now) {
    held += now - lastStart;
    state = State.DONE;
    end = now;
  }

  /// Takes an amount from its most recently opened span on this node.
  ///
  /// @return the span of the taken amount; null if there is none on the node
  @Nullable AllocationSpan leave(int node, long gpuMilli) {
    for (int at = open.size() - 1; at >= 0; at--) {
      AllocationSpan span = open.get(at);
      if (span.node() == node) {
        open.remove(at);
        long rest = span.gpuMilli() - gpuMilli;
        if (rest > 0) {
          open.add(at, new AllocationSpan(span.job(), node, rest, span.fromMillis(), -1));
        }
        return new AllocationSpan(span.job(), node, gpuMilli, span.fromMillis(), -1);
      }
    }
    return null;
  }

  /// Records the end of one of its spans.
  void close(AllocationSpan span, long now) {
    gpuTime += (double) span.gpuMilli() * (now - span.fromMillis());
  }

  /// Returns its use so far, in thousandths of a GPU times milliseconds.
  private double gpuTime(long now) {
    double time = gpuTime;
    for (AllocationSpan span : open) {
      time += (double) span.gpuMilli() * (now - span.fromMillis());
    }
    return time;
  }

  /// Returns a part of the time since its last start as GPU-milliseconds. All use since then is
  /// scaled by that part.
  long gpuMillis(long millis, long now) {
    double part = now == lastStart ? 0 : (double) millis / (now - lastStart);
    return Math.round(part * (gpuTime(now) - gpuTimeAtStart) / 1000);
  }

  /// Returns its outcome.
  JobOutcome outcome(long now) {
    return new JobOutcome(
        job,
        state,
        firstStart,
        end,
        held + (state == State.RUNNING ? now - lastStart : 0),
        (long) (gpuTime(now) / 1000),
        preemptions,
        nodeLosses,
        lostGpuMillis,
        nodes,
        span,
        models,
        why);
  }
}
