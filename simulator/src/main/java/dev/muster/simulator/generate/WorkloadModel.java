package dev.muster.simulator.generate;

import dev.muster.policy.file.Durations;
import java.time.Duration;
import java.util.List;

/// The parameters of a synthetic trace.
///
/// @param jobs number of jobs, at least 1
/// @param gpus number of GPUs to which the load refers
/// @param load mean share of these GPUs that the jobs use, greater than 0
/// @param sizes numbers of GPUs of jobs with their weights, at most all of these
/// @param median median run time, longer than zero
/// @param sigma standard deviation of the logarithm of the run times, 0 or more
/// @param diurnal daily variation of the arrival rate: 0 none, 1 down to no arrivals at night
/// @param queues queues of the jobs with their weights
/// @param perWorker most GPUs per worker
/// @param seed seed of all random draws
public record WorkloadModel(
    long jobs,
    int gpus,
    double load,
    WeightedChoice sizes,
    Duration median,
    double sigma,
    double diurnal,
    WeightedChoice queues,
    int perWorker,
    long seed) {
  private static final int MOST_LOAD = 10;
  private static final double SHORTEST_MILLIS = 1_000;
  private static final double LONGEST_MILLIS = 30.0 * 86_400_000;
  private static final double LONGEST_TRACE_MILLIS = 100 * 365.0 * 86_400_000;

  public WorkloadModel {
    if (jobs < 1 || gpus < 1 || perWorker < 1) {
      throw new IllegalArgumentException(
          "Jobs (%d), GPUs (%d) and GPUs per worker (%d) must all be 1 or more."
              .formatted(jobs, gpus, perWorker));
    }
    if (!(load > 0) || !(sigma >= 0) || !(diurnal >= 0 && diurnal <= 1) || !median.isPositive()) {
      throw new IllegalArgumentException(
          "Load (%s) and median run time (%s) must be greater than 0, sigma (%s) 0 or more, diurnal (%s) 0 to 1."
              .formatted(load, Durations.print(median), sigma, diurnal));
    }
    if (load > MOST_LOAD) {
      throw new IllegalArgumentException(
          "Load %s (--load) exceeds %s; 1 keeps all GPUs busy. Did you mean %s?"
              .formatted(load, MOST_LOAD, load / 100));
    }
    demandSizes(sizes, gpus);
    double gap = sizes.mean() * meanMillis(median, sigma) / (load * gpus);
    if (!(gap * jobs <= LONGEST_TRACE_MILLIS)) {
      throw new IllegalArgumentException(
          "Load %s (--load) of %d GPUs: %d jobs would arrive over more than 100 years."
              .formatted(load, gpus, jobs));
    }
  }

  private static void demandSizes(WeightedChoice sizes, int gpus) {
    for (String size : sizes.values()) {
      if (!size.matches("[1-9][0-9]{0,5}")) {
        throw new IllegalArgumentException(
            "Size \"%s\" (--sizes) is not a number of GPUs.".formatted(size));
      }
      if (Integer.parseInt(size) > gpus) {
        throw new IllegalArgumentException(
            "Size %s (--sizes) exceeds the %d GPUs of the fleet (--cluster)."
                .formatted(size, gpus));
      }
    }
  }

  /// Returns a run time in milliseconds, by its distance from the median.
  ///
  /// @param deviations distance in standard deviations of the logarithm
  double runMillis(double deviations) {
    return runMillis(median, sigma, deviations);
  }

  private static double runMillis(Duration median, double sigma, double deviations) {
    double millis = median.toMillis() * StrictMath.exp(sigma * deviations);
    return Math.clamp(millis, SHORTEST_MILLIS, LONGEST_MILLIS);
  }

  /// Returns the mean run time in milliseconds of a lognormal distribution clamped at both ends.
  ///
  /// It is a sum in steps of 0.01 standard deviations.
  double meanMillis() {
    return meanMillis(median, sigma);
  }

  private static double meanMillis(Duration median, double sigma) {
    double sum = 0;
    double weights = 0;
    for (int step = -800; step <= 800; step++) {
      double deviations = step / 100.0;
      double weight = StrictMath.exp(-deviations * deviations / 2);
      sum += weight * runMillis(median, sigma, deviations);
      weights += weight;
    }
    return sum / weights;
  }

  /// Returns the mean time between arrivals in milliseconds that yields the load.
  double meanGapMillis() {
    return sizes.mean() * meanMillis() / (load * gpus);
  }

  List<String> assumptions() {
    return List.of(
        "Synthetic, with seed %d: arrivals are a Poisson process with a mean gap of %s and a daily variation of %s."
            .formatted(seed, Durations.print(Duration.ofMillis((long) meanGapMillis())), diurnal),
        "Run times are lognormal with median %s and sigma %s, at least 1s and at most 30d; the load is %s of %d GPUs."
            .formatted(Durations.print(median), sigma, load, gpus),
        "Sizes are %s with the weights %s; jobs of more than %d GPUs are split into equal workers."
            .formatted(sizes.values(), sizes.weights(), perWorker));
  }
}
