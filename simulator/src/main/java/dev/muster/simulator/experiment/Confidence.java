package dev.muster.simulator.experiment;

import java.util.List;

/// A mean over seeds, and the half-width of its 95 % confidence interval by Student's t; the width
/// is 0 for fewer than two seeds, which tell nothing of chance.
///
/// @param mean the mean
/// @param plusMinus the half-width
public record Confidence(double mean, double plusMinus) {
  // t for 95 %, two-sided, by degrees of freedom from 1; beyond 30 the normal value is near enough
  private static final double[] STUDENT = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042
  };
  private static final double NORMAL = 1.96;

  /// Of these figures, one for each seed.
  public static Confidence of(List<Double> figures) {
    int n = figures.size();
    double mean = figures.stream().mapToDouble(figure -> figure).average().orElse(0);
    if (n < 2) {
      return new Confidence(mean, 0);
    }
    double squares = figures.stream().mapToDouble(f -> (f - mean) * (f - mean)).sum();
    double t = n - 2 < STUDENT.length ? STUDENT[n - 2] : NORMAL;
    return new Confidence(mean, t * Math.sqrt(squares / (n - 1) / n));
  }
}
