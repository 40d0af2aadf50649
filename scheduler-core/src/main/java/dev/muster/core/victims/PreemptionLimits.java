package dev.muster.core.victims;

import java.time.Duration;

/// Limits on preemption that apply on top of the rules of a policy.
///
/// @param victims gangs that one decision may stop, at least 1
/// @param victimGpus GPUs that one decision may take, at least 1
/// @param perHour gangs whose eviction may begin in any hour, 0 or more
/// @param cooldown time before a gang that preempted, or found no victims, may try again; longer
///   than zero
public record PreemptionLimits(int victims, int victimGpus, int perHour, Duration cooldown) {
  /// No limits on victims; one attempt a minute.
  public static final PreemptionLimits NONE =
      new PreemptionLimits(
          Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Duration.ofMinutes(1));

  public PreemptionLimits {
    if (victims < 1 || victimGpus < 1 || perHour < 0) {
      throw new IllegalArgumentException(
          "Preemption limits out of range: victims %d (must be 1 or more), victimGpus %d (1 or more), perHour %d (0 or more). To turn preemption off, set the mode to Off."
              .formatted(victims, victimGpus, perHour));
    }
    if (!cooldown.isPositive()) {
      throw new IllegalArgumentException(
          "Preemption limit cooldown is %s; it must be longer than zero.".formatted(cooldown));
    }
  }
}
