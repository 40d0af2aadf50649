package dev.muster.simulator.fleet;

import java.time.Duration;

/// On what terms a node can be had.
///
/// @param pricePerHour what it costs for an hour, in the user's currency; 0 or more, 0 when unknown
/// @param joinDelay how long it takes from when it is asked for until it is there; zero: it is
///   there from the start and stays
public record Terms(double pricePerHour, Duration joinDelay) {
  /// Nothing is known.
  public static final Terms NONE = new Terms(0, Duration.ZERO);

  public Terms {
    if (!(pricePerHour >= 0) || joinDelay.isNegative()) {
      throw new IllegalArgumentException(
          "A node has price (%s) and joinDelay (%s); neither can be below 0."
              .formatted(pricePerHour, joinDelay));
    }
  }

  /// Whether it is a cloud node, which comes when it is asked for.
  public boolean isOnDemand() {
    return joinDelay.isPositive();
  }
}
