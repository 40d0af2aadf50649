package dev.muster.core.state;

import dev.muster.core.backfill.RuntimeHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A start forecast keeps the expected start of one of the first waiting gangs.
///
/// @param since time at which the gang became one of the first
/// @param again no start is searched for it before this instant
/// @param promised its first planned start; absent before, and after an earlier gang took its place
public record StartForecast(Instant since, Instant again, Optional<Instant> promised) {
  /// The time until the next search after a search without result.
  public static final Duration AGAIN = Duration.ofMinutes(1);

  /// The interval at which the time limit for backfill on drained nodes is computed again.
  public static final Duration RECKONED = Duration.ofMinutes(5);

  /// The longest time for which other gangs may start on drained nodes, if they will probably end
  /// in time.
  private static final Duration OPEN = Duration.ofHours(24);

  /// The multiple of the fleet's usual runtime that limits [#OPEN].
  private static final int OPEN_RUNS = 8;

  /// Returns the time for which other gangs may start on drained nodes. It is zero until the usual
  /// runtime of the fleet is known.
  public static Duration open(RuntimeHistory history) {
    Duration open = history.usual().orElse(Duration.ZERO).multipliedBy(OPEN_RUNS);
    return open.compareTo(OPEN) < 0 ? open : OPEN;
  }

  /// Returns the last instant at which the limit for drained nodes was due, every 5 min of UTC.
  public static Instant reckoned(Instant now) {
    long step = RECKONED.toMillis();
    return Instant.ofEpochMilli(Math.floorDiv(now.toEpochMilli(), step) * step);
  }

  /// Returns the earliest time at which nodes may be drained for the gang. By then it has waited
  /// for `drainAfter`, and its promised start has passed.
  public Instant drained(Duration drainAfter) {
    Instant aged = since.plus(drainAfter);
    return promised.filter(aged::isBefore).orElse(aged);
  }

  public StartForecast soughtAgain(Instant at) {
    return new StartForecast(since, at, promised);
  }

  public StartForecast promising(Optional<Instant> start) {
    return new StartForecast(since, again, promised.or(() -> start));
  }
}
