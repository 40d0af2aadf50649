package dev.muster.simulator.fleet;

import dev.muster.policy.file.Durations;
import java.time.Duration;

/// On what terms a node can be had.
///
/// @param pricePerHour what it costs for an hour, in the user's currency; 0 or more, 0 when unknown
/// @param joinDelay how long it takes from when it is asked for until it is there; zero: it is
///   there from the start and stays
/// @param leaveAfter how long a cloud node has nobody on it before it leaves
public record Terms(double pricePerHour, Duration joinDelay, Duration leaveAfter) {
  /// Nothing is known.
  public static final Terms NONE = ofPrice(0);

  public Terms {
    if (!(pricePerHour >= 0) || joinDelay.isNegative() || leaveAfter.isNegative()) {
      throw new IllegalArgumentException(
          "Price (%s), joinDelay (%s) and leaveAfter (%s) of a node must be 0 or more."
              .formatted(pricePerHour, Durations.print(joinDelay), Durations.print(leaveAfter)));
    }
  }

  /// A node that is there from the start and stays.
  public static Terms ofPrice(double perHour) {
    return new Terms(perHour, Duration.ZERO, Duration.ZERO);
  }

  /// Whether it is a cloud node, which comes when it is asked for.
  public boolean isOnDemand() {
    return joinDelay.isPositive();
  }
}
