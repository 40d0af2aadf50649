package dev.muster.core.gang;

import java.time.Duration;
import java.util.Optional;

/// The owner's settings for preemption of the gang, and by the gang.
///
/// @param preemptible true if the gang may be preempted. An owner can only protect a gang, and only
///   as far as the policy respects it
/// @param restart time of a restart until the gang works again, without the lost work
/// @param others true if others may be preempted for the gang; absent: they may
public record PreemptionPreference(
    boolean preemptible, Duration restart, Optional<Boolean> others) {
  /// The defaults: preemptible, a restart that takes no time, others may be preempted.
  public static final PreemptionPreference UNSAID = new PreemptionPreference(true, Duration.ZERO);

  /// Creates settings that leave open if others may be preempted.
  public PreemptionPreference(boolean preemptible, Duration restart) {
    this(preemptible, restart, Optional.empty());
  }

  public PreemptionPreference {
    if (restart.isNegative()) {
      throw new IllegalArgumentException(
          "The restart time is (%s); it must not be negative.".formatted(restart));
    }
  }

  /// True if others may be preempted for the gang, as far as the policy allows it.
  public boolean mayStopOthers() {
    return others.orElse(true);
  }

  /// Returns these settings, completed by the other's where these are open.
  PreemptionPreference or(PreemptionPreference other) {
    return new PreemptionPreference(
        preemptible && other.preemptible,
        restart.isZero() ? other.restart : restart,
        others.or(() -> other.others));
  }
}
