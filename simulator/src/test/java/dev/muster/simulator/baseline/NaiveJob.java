package dev.muster.simulator.baseline;

import dev.muster.simulator.run.RestartTimes;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.List;
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
  double left; // when it last started, or was charged
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
    this.left = job.runMillis();
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

  double left() {
    return Math.max(0, left - ran * rate);
  }

  boolean isDone() {
    return held != null && left() == 0;
  }

  Optional<Integer> said() {
    return job.constraints().runtime().map(time -> (int) time.toMillis());
  }

  /// Returns the cost of its next start on a model.
  int restart(BaselineOptions options, String model) {
    boolean pays = start >= 0 && options.charge() == BaselineOptions.ServiceCharge.RESTART;
    return pays ? overhead(options, model) : 0;
  }

  /// Returns the cost of each of its starts but the first on a model.
  int overhead(BaselineOptions options, String model) {
    if (job.restartMillis().isPresent()) {
      return (int) job.restartMillis().getAsLong();
    }
    for (RestartTimes.Rule rule : options.preemptionCost().restart().rules()) {
      long milli = 1000L * gpus;
      boolean size =
          rule.sizes().stream().allMatch(sizes -> sizes.least() <= milli && milli <= sizes.most());
      if (size && (rule.model().isEmpty() || rule.model().equals(model))) {
        return (int) rule.time().toMillis();
      }
    }
    return 0;
  }

  int estimate(BaselineOptions options, List<String> models) {
    int most = models.stream().mapToInt(model -> restart(options, model)).max().orElse(0);
    return said().orElse((int) Math.ceil(left()) + most);
  }

  int expectedEnd(int now) {
    int truth = now + idle + (int) Math.ceil(left / rate) - ran;
    return Math.max(now + 1, said().map(time -> begun + time).orElse(truth));
  }

  /// It stops: what it did since its last checkpoint is to be done again.
  void stop(BaselineOptions options) {
    double done = run() - left();
    Optional<Duration> every = options.preemptionCost().checkpoint();
    double kept = every.isPresent() ? done - done % every.get().toMillis() : done;
    left = run() - Math.max(run() - left, kept);
    ran = 0;
    idle = 0;
    held = null;
  }
}
