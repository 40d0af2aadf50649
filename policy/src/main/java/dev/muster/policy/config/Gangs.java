package dev.muster.policy.config;

import dev.muster.policy.file.Durations;
import java.time.Duration;

/// How long a gang may take to become whole.
///
/// @param gatherTimeout how long members may be missing before the gang is marked timed out; zero
///     waits for ever; `scheduleTimeoutSeconds` of a PodGroup overrides it
/// @param bindTimeout how long a reservation may stay unbound before it is released or moved;
///     longer than zero, for every reservation ends
/// @param repairTimeout how long the place of a failed member is kept for its running gang; longer
///     than zero
public record Gangs(Duration gatherTimeout, Duration bindTimeout, Duration repairTimeout) {
  public Gangs {
    if (gatherTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "gatherTimeout must not be negative, but is " + Durations.print(gatherTimeout) + ".");
    }
    if (!repairTimeout.isPositive()) {
      throw new IllegalArgumentException(
          "repairTimeout must be longer than zero, but is " + Durations.print(repairTimeout) + ".");
    }
    if (!bindTimeout.isPositive()) {
      throw new IllegalArgumentException(
          "bindTimeout must be longer than zero, but is " + Durations.print(bindTimeout) + ".");
    }
  }

  /// Whether gangs with missing members wait for ever unless their PodGroup says otherwise.
  public boolean gathersForEver() {
    return gatherTimeout.isZero();
  }
}
