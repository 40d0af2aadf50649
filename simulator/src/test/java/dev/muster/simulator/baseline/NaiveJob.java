package dev.muster.simulator.baseline;

import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job of [NaiveRun].
final class NaiveJob {
  final TraceJob job;
  final int number;
  final int gpus;
  final GpuRequest ask;
  int @Nullable [] held; // GPUs on each node
  int start = -1;
  int end = -1;
  int begun; // the last start
  int left; // when it last started, or was charged
  int ran; // milliseconds since then in which it got on
  double rate = 1;
  int idle;
  int preemptions;
  int served;
  int level;
  int place = -1; // in the line of least attained service

  NaiveJob(TraceJob job, int number, GpuRequest request) {
    this.job = job;
    this.number = number;
    this.ask = request;
    this.gpus = request.gpus();
    this.left = (int) job.runMillis();
  }

  int submit() {
    return (int) job.submitMillis();
  }

  int run() {
    return (int) job.runMillis();
  }

  boolean waits(int now) {
    return submit() <= now && held == null && end < 0;
  }

  int left() {
    return (int) Math.max(0, left - Math.floor(ran * rate));
  }

  boolean isDone() {
    return held != null && left() == 0;
  }

  Optional<Integer> said() {
    return job.constraints().runtime().map(time -> (int) time.toMillis());
  }

  /// Returns the cost of its next start.
  int restart(BaselineOptions options) {
    boolean pays = start >= 0 && options.charge() == BaselineOptions.ServiceCharge.RESTART;
    return pays ? (int) options.preemptionCost().restart().toMillis() : 0;
  }

  int estimate(BaselineOptions options) {
    return said().orElse(left() + restart(options));
  }

  int expectedEnd(int now) {
    int truth = now + idle + (int) Math.ceil(left / rate) - ran;
    return Math.max(now + 1, said().map(time -> begun + time).orElse(truth));
  }

  /// It stops: what it did since its last checkpoint is to be done again.
  void stop(BaselineOptions options) {
    int done = run() - left();
    int every = options.preemptionCost().checkpoint().map(Duration::toMillis).orElse(1L).intValue();
    left = run() - Math.max(run() - left, done - done % every);
    ran = 0;
    idle = 0;
    held = null;
  }
}
