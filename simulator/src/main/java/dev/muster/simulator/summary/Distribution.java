package dev.muster.simulator.summary;

import dev.muster.simulator.run.record.JobOutcome;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/// The distribution of some figures; all fields are 0 where there are none.
///
/// The percentile q of n figures is the element at index n x q of the sorted list, counted from 0
/// and rounded down.
///
/// @param count number of figures
/// @param mean arithmetic mean
/// @param p50 median
/// @param p90 90th percentile
/// @param p95 95th percentile
/// @param p99 99th percentile
/// @param max the largest figure
public record Distribution(
    long count, double mean, double p50, double p90, double p95, double p99, double max) {
  /// Computes the distribution of the given figures and sorts the array.
  public static Distribution of(double[] sorted) {
    Arrays.sort(sorted);
    if (sorted.length == 0) {
      return new Distribution(0, 0, 0, 0, 0, 0, 0);
    }
    return new Distribution(
        sorted.length,
        Rounding.of(Arrays.stream(sorted).sum() / sorted.length),
        at(sorted, 0.5),
        at(sorted, 0.9),
        at(sorted, 0.95),
        at(sorted, 0.99),
        Rounding.of(sorted[sorted.length - 1]));
  }

  /// Returns the distribution, in seconds, of the known values in milliseconds.
  static Distribution ofMillis(List<JobOutcome> jobs, Function<JobOutcome, OptionalLong> figure) {
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
    return Rounding.of(sorted[(int) (sorted.length * q)]);
  }
}
