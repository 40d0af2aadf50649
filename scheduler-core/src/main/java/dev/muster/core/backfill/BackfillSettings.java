package dev.muster.core.backfill;

import java.time.Duration;

/// The limits that keep large gangs from being delayed without end by smaller ones.
///
/// The first gangs in the order each get a planned start: a place, and the time at which the pods
/// there are expected to have ended. Gangs behind them may start if this delays none of them. This
/// is backfilling with several reservations (Lifka 1995; Mu'alem & Feitelson 2001).
///
/// A gang has its place drained if two conditions are met:
///
/// - It has been among the first for longer than `drainAfter`.
/// - It could be given no planned start, or none that came true.
///
/// Its drain must not be expected to take longer than half the gang's wait, plus `drainAfter`.
///
/// All capacity that becomes free on a drained place is the gang's own. For some time, at most one
/// day, other gangs may pass if they are likely to end in time. Draining is done for the first of
/// these gangs, and for others as long as little capacity is idle for it.
///
/// So the first gang waits for at most the sum of these times, unless gangs of higher priority
/// come:
///
/// 1. `drainAfter`, the time to its planned start, or twice the longest run, whichever is longest;
/// 2. the time in which other gangs may pass;
/// 3. the time in which the pods end that run on its place by then.
///
/// After it the next gang is the first.
///
/// @param depth number of gangs with a planned start, 0 or more; with 0 small gangs may pass large
///   ones without limit
/// @param drainAfter time that a gang may be among the first before its place is drained
public record BackfillSettings(int depth, Duration drainAfter) {
  /// The default: eight gangs, half an hour.
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
