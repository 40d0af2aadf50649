package dev.muster.simulator.experiment;

import java.util.List;
import java.util.OptionalDouble;

/// A mean over seeds, and the half-width of its 95 % confidence interval by Student's t.
///
/// @param mean the mean
/// @param plusMinus the half-width; absent for one seed, which says nothing about variance
public record ConfidenceInterval(double mean, OptionalDouble plusMinus) {
  // t for 95 %, two-sided, by degrees of freedom from 1
  private static final double[] STUDENT = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042
  };

  /// Computes the mean and interval of at least one figure, one for each seed.
  public static ConfidenceInterval of(List<Double> figures) {
    int n = figures.size();
    double mean = figures.stream().mapToDouble(figure -> figure).average().orElseThrow();
    if (n < 2) {
      return new ConfidenceInterval(mean, OptionalDouble.empty());
    }
    double squares = figures.stream().mapToDouble(f -> (f - mean) * (f - mean)).sum();
    double error = Math.sqrt(squares / (n - 1) / n);
    return new ConfidenceInterval(mean, OptionalDouble.of(student(n - 1) * error));
  }

  /// Returns Student's t for 95 %, two-sided.
  ///
  /// Beyond the table it uses the first terms of the expansion about the normal value, which are
  /// exact to three decimals (Cornish and Fisher 1938).
  private static double student(int freedom) {
    return freedom <= STUDENT.length
        ? STUDENT[freedom - 1]
        : 1.95996 + (2.37227 + 2.82250 / freedom) / freedom;
  }
}
