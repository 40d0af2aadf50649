package dev.muster.simulator.fleet;

import dev.muster.policy.file.Durations;
import java.time.Duration;

/// The price and delays of a node.
///
/// @param pricePerHour price per hour, in the user's currency; 0 or more, 0 when unknown
/// @param joinDelay time from its request until it is ready; zero: available from the start to the
///   end
/// @param leaveAfter idle time after which a cloud node leaves
public record NodeTerms(double pricePerHour, Duration joinDelay, Duration leaveAfter) {
  /// The terms of a node of which nothing is known: free and always available.
  public static final NodeTerms NONE = ofPrice(0);

  public NodeTerms {
    if (!(pricePerHour >= 0) || joinDelay.isNegative() || leaveAfter.isNegative()) {
      throw new IllegalArgumentException(
          "Price (%s), joinDelay (%s) and leaveAfter (%s) of a node must be 0 or more."
              .formatted(pricePerHour, Durations.print(joinDelay), Durations.print(leaveAfter)));
    }
  }

  /// Returns the terms of a node that is always available, at this price per hour.
  public static NodeTerms ofPrice(double perHour) {
    return new NodeTerms(perHour, Duration.ZERO, Duration.ZERO);
  }

  /// True for a cloud node, which is created on demand.
  public boolean isOnDemand() {
    return joinDelay.isPositive();
  }
}
