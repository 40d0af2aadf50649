package dev.muster.core.engine;

import dev.muster.core.admission.GangOrder;
import java.time.Duration;
import java.util.Optional;

/// The whole configuration of the brain.
///
/// @param order whose turn comes first
/// @param bindTimeout how long a reservation may stay unbound before it is moved or released
/// @param gatherTimeout how long a gang may lack members before it is said to have timed out; absent: for ever
public record Policies(GangOrder order, Duration bindTimeout, Optional<Duration> gatherTimeout) {
  /// Priority, then age; two minutes to bind; no limit to gathering.
  public static final Policies DEFAULT =
      new Policies(GangOrder.PRIORITY_THEN_AGE, Duration.ofMinutes(2), Optional.empty());
}
