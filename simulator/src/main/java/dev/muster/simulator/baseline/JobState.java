package dev.muster.simulator.baseline;

import dev.muster.simulator.run.JobProgress;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job that is submitted and not done.
final class JobState {
  /// By submission; equal times in the order of the trace.
  static final Comparator<JobState> BY_AGE = Comparator.comparingInt(job -> job.index);

  /// Its place in the order of submission.
  final int index;

  final TraceJob spec;
  final GpuRequest ask;

  /// Its ask as text: alike to every placement.
  final String kind;

  /// How far it is.
  final JobProgress progress;

  /// When it was last taken off the queue.
  long begun;

  /// What it holds; null while it waits.
  @Nullable Allocation allocation;

  /// Since when it is in the queue that it is in, where a policy has several.
  long queued;

  /// The queue that it is in, where a policy has several.
  int queue;

  private long served;

  JobState(int index, TraceJob spec, GpuRequest request) {
    this.index = index;
    this.spec = spec;
    this.ask = request;
    this.kind = request.toString().intern();
    this.progress = new JobProgress(spec.runMillis());
    this.queued = spec.submitMillis();
  }

  /// It stops holding its GPUs.
  void leave(long now) {
    served = served(now);
    allocation = null;
  }

  /// GPU-milliseconds that it has had.
  long served(long now) {
    return served + (allocation == null ? 0 : (now - progress.since()) * ask.gpus());
  }

  /// How long it still has to run at the speed of the trace.
  long left(long now) {
    return progress.left(now);
  }

  /// How long it, which waits, is expected to run once it starts: as its owner says, or the truth
  /// at the speed of the trace where nobody said.
  ///
  /// @param restart how long a restart takes
  long estimate(long now, long restart) {
    long truth = left(now) + (progress.starts() > 0 ? restart : 0);
    return spec.constraints().runtime().map(Duration::toMillis).orElse(truth);
  }

  /// When it, which runs, is expected to end, later than now.
  long expectedEnd(long now) {
    Optional<Duration> said = spec.constraints().runtime();
    long end = said.isPresent() ? begun + said.get().toMillis() : progress.end();
    return Math.max(now + 1, end);
  }
}
