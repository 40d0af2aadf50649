package dev.muster.core.state;

import dev.muster.core.backfill.RuntimeHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// What one of the first waiting gangs may expect: since when it is one of them, when a start is
/// sought for it again, and what it was promised.
///
/// @param since when it was first among them
/// @param again no start is to be sought for it again before this instant
/// @param promised the first start that it was planned, since when no gang before it took the
///   place; absent when none could be
public record StartForecast(Instant since, Instant again, Optional<Instant> promised) {
  /// After a start was sought in vain, the next try.
  public static final Duration AGAIN = Duration.ofMinutes(1);

  /// How often it is reckoned until when others may pass.
  public static final Duration RECKONED = Duration.ofMinutes(5);

  /// So long others may pass a place that is drained at most, as far as they are likely to be gone
  /// in time.
  private static final Duration OPEN = Duration.ofHours(24);

  /// How many times what is usual in the fleet, if that is less.
  private static final int OPEN_RUNS = 8;

  /// So long others may pass a place that is drained; not at all before it is known what is usual.
  public static Duration open(RuntimeHistory history) {
    Duration open = history.usual().orElse(Duration.ZERO).multipliedBy(OPEN_RUNS);
    return open.compareTo(OPEN) < 0 ? open : OPEN;
  }

  /// When it was last due to reckon until when others may pass, in UTC every 5 min.
  public static Instant reckoned(Instant now) {
    long step = RECKONED.toMillis();
    return Instant.ofEpochMilli(Math.floorDiv(now.toEpochMilli(), step) * step);
  }

  /// From when on its place may be drained: when it has waited long enough, and what it was
  /// promised has not come true.
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
