package dev.muster.core.gang;

import java.time.Duration;

/// What a gang's owner says of being stopped for others.
///
/// @param preemptible whether it may be; an owner can only protect, and only as far as the policy
///   heeds it
/// @param restart how long its restart takes until it works again, beyond the work that is lost
public record Stopping(boolean preemptible, Duration restart) {
  /// Nothing in particular.
  public static final Stopping UNSAID = new Stopping(true, Duration.ZERO);

  public Stopping {
    if (restart.isNegative()) {
      throw new IllegalArgumentException(
          "The restart takes (%s); it cannot take less than no time.".formatted(restart));
    }
  }
}
