package dev.muster.simulator.baseline;

import dev.muster.simulator.run.JobProgress;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job that is submitted and not done.
final class JobState {
  /// Orders jobs by submission; equal times are in the order of the trace.
  static final Comparator<JobState> BY_AGE = Comparator.comparingInt(job -> job.index);

  /// The position of the job in the order of submission.
  final int index;

  final TraceJob spec;
  final GpuRequest ask;

  /// The request as text; jobs of one kind are alike to every placement.
  final String kind;

  /// The progress of the job.
  final JobProgress progress;

  /// The time at which the job was last removed from the queue.
  long begun;

  /// The allocation of the job; null while it waits.
  @Nullable Allocation allocation;

  /// The queue of the job, for policies with several queues.
  int queue;

  private long served;

  JobState(int index, TraceJob spec, GpuRequest request) {
    this.index = index;
    this.spec = spec;
    this.ask = request;
    this.kind = request.toString().intern();
    this.progress = new JobProgress(spec.runMillis());
  }

  /// Releases the allocation.
  void leave(long now) {
    served = served(now);
    allocation = null;
  }

  /// Returns the GPU-milliseconds that the job has had.
  long served(long now) {
    return served + (allocation == null ? 0 : (now - progress.since()) * ask.gpus());
  }

  /// Returns the remaining run time at the speed of the trace, in microseconds.
  long left(long now) {
    return progress.left(now);
  }

  /// Returns the expected run time of a waiting job once it starts. The owner's statement counts;
  /// without one, the true run time at the speed of the trace.
  ///
  /// @param restart duration of a restart
  long estimate(long now, long restart) {
    long truth =
        Math.ceilDiv(left(now), JobProgress.MICROS) + (progress.starts() > 0 ? restart : 0);
    return spec.constraints().runtime().map(Duration::toMillis).orElse(truth);
  }

  /// Returns the expected end of a running job, later than now.
  long expectedEnd(long now) {
    Optional<Duration> said = spec.constraints().runtime();
    long end = said.isPresent() ? begun + said.get().toMillis() : progress.end();
    return Math.max(now + 1, end);
  }
}
