package dev.muster.simulator.report;

import dev.muster.simulator.run.JobOutcome;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/// How some figures are distributed; all 0 when there are none.
///
/// A percentile q of n figures is the one at place n x q of the sorted list, counted from 0 and
/// rounded down.
///
/// @param count how many figures there are
/// @param mean their mean
/// @param p50 the median
/// @param p90 nine of ten are at most this
/// @param p95 nineteen of twenty are at most this
/// @param p99 ninety-nine of a hundred are at most this
/// @param max the greatest
public record Stats(
    long count, double mean, double p50, double p90, double p95, double p99, double max) {
  /// Of these figures, in any order; they are sorted.
  public static Stats of(double[] sorted) {
    Arrays.sort(sorted);
    if (sorted.length == 0) {
      return new Stats(0, 0, 0, 0, 0, 0, 0);
    }
    return new Stats(
        sorted.length,
        Rounded.of(Arrays.stream(sorted).sum() / sorted.length),
        at(sorted, 0.5),
        at(sorted, 0.9),
        at(sorted, 0.95),
        at(sorted, 0.99),
        Rounded.of(sorted[sorted.length - 1]));
  }

  /// Of what is known of jobs in milliseconds, in seconds.
  static Stats ofMillis(List<JobOutcome> jobs, Function<JobOutcome, OptionalLong> figure) {
    double[] seconds = new double[jobs.size()];
    int known = 0;
    for (JobOutcome job : jobs) {
      OptionalLong millis = figure.apply(job);
      if (millis.isPresent()) {
        seconds[known++] = millis.getAsLong() / 1000.0;
      }
    }
    return of(Arrays.copyOf(seconds, known));
  }

  private static double at(double[] sorted, double q) {
    return Rounded.of(sorted[(int) (sorted.length * q)]);
  }
}
