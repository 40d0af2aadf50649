package dev.muster.policy.config;

import dev.muster.policy.file.Durations;
import java.time.Duration;

/// Timeouts of gangs, and what keeps their pods from kube-scheduler until they start.
///
/// @param gatherTimeout time that members may be missing before the gang is marked timed out; zero
///   waits without limit; `scheduleTimeoutSeconds` of a PodGroup overrides it
/// @param bindTimeout time that a reservation may stay unbound before it is released or moved;
///   longer than zero, because every reservation ends
/// @param repairTimeout time that the capacity of a failed member is kept for its running gang;
///   longer than zero
/// @param hold what keeps the pods of gangs from kube-scheduler until they start
public record GangFields(
    Duration gatherTimeout, Duration bindTimeout, Duration repairTimeout, PodHold hold) {
  public GangFields {
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

  /// True if gangs with missing members wait without limit unless their PodGroup sets a timeout.
  public boolean gathersForEver() {
    return gatherTimeout.isZero();
  }
}
