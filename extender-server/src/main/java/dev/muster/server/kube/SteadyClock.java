package dev.muster.server.kube;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// The time of day, but for a clock that is set back: then this one runs on from where it was, so
/// that no retry and no deadline stands still until the other has caught up. It follows one that is
/// set ahead, as after a machine was asleep.
///
/// All who compare times with each other must share one.
final class SteadyClock implements InstantSource {
  /// Behind by less, it is as good as the other.
  private static final Duration CLOSE = Duration.ofSeconds(1);

  private final InstantSource clock;
  private final LongSupplier nanos;
  private Instant from;
  private long fromNanos;

  SteadyClock() {
    this(InstantSource.system(), System::nanoTime);
  }

  /// @param clock the time of day
  /// @param nanos counts nanoseconds, from anything
  SteadyClock(InstantSource clock, LongSupplier nanos) {
    this.clock = clock;
    this.nanos = nanos;
    this.from = clock.instant();
    this.fromNanos = nanos.getAsLong();
  }

  @Override
  public synchronized Instant instant() {
    Instant said = clock.instant();
    long count = nanos.getAsLong();
    Instant now = from.plusNanos(count - fromNanos);
    if (said.isAfter(now.plus(CLOSE))) {
      from = said;
      fromNanos = count;
      return said;
    }
    return now;
  }
}
