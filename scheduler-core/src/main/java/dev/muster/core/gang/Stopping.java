package dev.muster.core.gang;

import java.time.Duration;
import java.util.Optional;

/// What a gang's owner says of being stopped for others, and of stopping others.
///
/// @param preemptible whether it may be; an owner can only protect, and only as far as the policy
///   heeds it
/// @param restart how long its restart takes until it works again, beyond the work that is lost
/// @param others whether others may be stopped for it; absent: they may
public record Stopping(boolean preemptible, Duration restart, Optional<Boolean> others) {
  /// Nothing in particular.
  public static final Stopping UNSAID = new Stopping(true, Duration.ZERO);

  /// Of stopping others nothing is said.
  public Stopping(boolean preemptible, Duration restart) {
    this(preemptible, restart, Optional.empty());
  }

  public Stopping {
    if (restart.isNegative()) {
      throw new IllegalArgumentException(
          "The restart takes (%s); it cannot take less than no time.".formatted(restart));
    }
  }

  /// Whether others may be stopped for it, as far as the policy lets them.
  public boolean mayStopOthers() {
    return others.orElse(true);
  }

  /// What this says, and what the other says where this says nothing.
  Stopping or(Stopping other) {
    return new Stopping(
        preemptible && other.preemptible,
        restart.isZero() ? other.restart : restart,
        others.or(() -> other.others));
  }
}
