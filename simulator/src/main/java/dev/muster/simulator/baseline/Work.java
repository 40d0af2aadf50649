package dev.muster.simulator.baseline;

import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// A job that is submitted and not done.
final class Work {
  /// By submission; equal times in the order of the trace.
  static final Comparator<Work> BY_AGE = Comparator.comparingInt(work -> work.index);

  /// Its place in the order of submission.
  final int index;

  final TraceJob job;
  final Ask ask;

  /// Its ask as text: alike to every placement.
  final String kind;

  /// What it holds; null while it waits.
  @Nullable Grant grant;

  /// How long it has to run, in milliseconds: still, while it waits; when it started, while it
  /// runs.
  private long left;

  /// How much of its run so far does not count: it is busy restarting.
  private long idle;

  /// How fast it runs.
  private double rate = 1;

  private long since;
  private long served;

  /// Since when it is in the queue that it is in, where a policy has several.
  long queued;

  /// The queue that it is in, where a policy has several.
  int queue;

  /// How often it was started or moved: an end that was due belongs to one start.
  int starts;

  Work(int index, TraceJob job, Ask ask) {
    this.index = index;
    this.job = job;
    this.ask = ask;
    this.kind = ask.toString().intern();
    this.left = job.runMillis();
    this.queued = job.submitMillis();
  }

  /// It runs from now on.
  ///
  /// @param restart time that passes before it gets on
  /// @param speed how fast it runs, 1 as the trace has it
  void begin(Grant place, long now, long restart, double speed) {
    grant = place;
    since = now;
    idle = restart;
    rate = speed;
    starts++;
  }

  /// It runs no more; what it has done counts.
  ///
  /// @return how long it ran without getting on
  long stop(long now) {
    long ran = now - since;
    left = left(now);
    served += ran * ask.gpus();
    grant = null;
    return Math.min(ran, idle);
  }

  /// It runs on; what it has done counts, but for the overhead.
  ///
  /// @return how long it ran without getting on
  long recharge(long now, long overhead) {
    idle = overhead;
    return stop(now);
  }

  /// How long it still has to run at the speed of the trace.
  long left(long now) {
    if (grant == null) {
      return left;
    }
    long counted = Math.max(0, now - since - idle);
    return Math.max(0, left - (rate == 1 ? counted : (long) Math.floor(counted * rate)));
  }

  /// When it will be done if it goes on as it does.
  long end() {
    return since + idle + (rate == 1 ? left : (long) Math.ceil(left / rate));
  }

  /// GPU-milliseconds that it has had.
  long served(long now) {
    return served + (grant == null ? 0 : (now - since) * ask.gpus());
  }

  /// How long it is expected to run in all: as its owner says, or the truth where nobody said.
  long estimate() {
    return job.wishes().runtime().map(Duration::toMillis).orElse(job.runMillis());
  }

  /// When it is expected to end, later than now.
  long expectedEnd(long now) {
    return Math.max(now + 1, since + estimate());
  }
}
