package dev.muster.server.kube;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// A wall clock that never goes back.
///
/// If the system clock is set back, this clock continues from its own time. Otherwise retries and
/// deadlines would stop until the system clock has caught up. It follows a system clock that is set
/// ahead, such as after the machine was asleep.
///
/// Times of different instances must not be compared.
final class SteadyClock implements InstantSource {
  /// Minimum lead of the system clock that is followed.
  private static final Duration CLOSE = Duration.ofSeconds(1);

  private final InstantSource clock;
  private final LongSupplier nanos;
  private Instant from;
  private long fromNanos;

  SteadyClock() {
    this(InstantSource.system(), System::nanoTime);
  }

  /// @param clock system clock
  /// @param nanos counts nanoseconds, from any origin
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
