package dev.muster.core.backfill;

import java.time.Duration;

/// How gangs that do not fit yet are kept from waiting for ever behind smaller ones.
///
/// The first gangs in the order are each planned a start: a place, and the time when those that are
/// expected to end have left it. Gangs behind them may start if that keeps none of them waiting
/// (backfilling with several reservations: Lifka 1995; Mu'alem & Feitelson 2001). A gang that has
/// been among the first for longer than `drainAfter` and could be planned no start, or none that
/// came true, has its place drained: whatever comes free there is its own. For some time, a day at
/// most, others may pass that are likely to be gone in time. That is done for the first of them,
/// and for others as long as little stands idle for it.
///
/// So the first gang waits no longer than `drainAfter`, or to its planned start if that is later,
/// that time, and what those take to end that run on its place by then, unless gangs of higher
/// priority come; the next one in its turn.
///
/// @param depth how many gangs are planned a start, 0 or more; 0 leaves small gangs to pass big
///   ones for ever
/// @param drainAfter how long a gang may be among the first before its place is drained
public record BackfillSettings(int depth, Duration drainAfter) {
  /// Eight gangs, half an hour.
  public static final BackfillSettings DEFAULT = new BackfillSettings(8, Duration.ofMinutes(30));

  public BackfillSettings {
    if (depth < 0) {
      throw new IllegalArgumentException(
          "backfill.depth is %d; it must be 0 or more.".formatted(depth));
    }
    if (drainAfter.isNegative()) {
      throw new IllegalArgumentException(
          "backfill.drainAfter is %s; it must not be negative.".formatted(drainAfter));
    }
  }
}
