package dev.muster.simulator.summary;

/// Rounds figures to a millionth for display and files; more digits carry no information.
public final class Rounding {
  private Rounding() {}

  public static double of(double figure) {
    return Math.rint(figure * 1e6) / 1e6;
  }

  /// Returns a part divided by the whole; 0 if the whole is 0.
  public static double share(double part, double whole) {
    return whole == 0 ? 0 : of(part / whole);
  }
}
