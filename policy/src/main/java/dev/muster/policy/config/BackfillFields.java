package dev.muster.policy.config;

import dev.muster.core.backfill.BackfillSettings;
import java.time.Duration;

/// Backfill settings: they keep large gangs from being delayed indefinitely by small ones.
///
/// @param depth number of gangs at the head of the queue that get a planned start; 0 plans none
/// @param drainAfter time at the head of the queue after which capacity is drained for the gang
public record BackfillFields(int depth, Duration drainAfter) {
  /// Returns these settings as the engine's type.
  public BackfillSettings backfill() {
    return new BackfillSettings(depth, drainAfter);
  }
}
