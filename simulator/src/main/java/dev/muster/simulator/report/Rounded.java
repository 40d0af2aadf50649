package dev.muster.simulator.report;

/// Figures as they are shown and written: to a millionth, so that nobody reads meaning into more.
final class Rounded {
  private Rounded() {}

  static double of(double figure) {
    return Math.rint(figure * 1e6) / 1e6;
  }

  /// The share of a part in the whole; 0 of nothing.
  static double share(double part, double whole) {
    return whole == 0 ? 0 : of(part / whole);
  }
}
