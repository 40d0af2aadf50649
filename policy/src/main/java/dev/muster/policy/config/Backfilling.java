package dev.muster.policy.config;

import dev.muster.core.admission.Backfill;
import java.time.Duration;

/// How big gangs are kept from waiting for ever behind small ones.
///
/// @param depth how many of the first gangs are planned a start; 0 plans none
/// @param drainAfter how long a gang may be among the first before its place is drained
public record Backfilling(int depth, Duration drainAfter) {
  /// The same for the engine.
  public Backfill backfill() {
    return new Backfill(depth, drainAfter);
  }
}
