package dev.muster.server.logging;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;

/// Limits how often an unchanged message is logged.
public final class LogThrottle {
  /// Number of messages remembered, so that alternating messages are limited too.
  private static final int KEPT = 64;

  private final Duration quiet;
  private final InstantSource clock;
  private final LinkedHashMap<String, Instant> told = new LinkedHashMap<>(); // newest last

  /// Creates a limiter that lets an unchanged message pass once a minute.
  public LogThrottle() {
    this(Duration.ofMinutes(1), InstantSource.system());
  }

  /// @param quiet interval after which an unchanged message passes again
  public LogThrottle(Duration quiet, InstantSource clock) {
    this.quiet = quiet;
    this.clock = clock;
  }

  /// True if the message is to be logged now. Safe for use by several threads.
  public synchronized boolean isNew(String complaint) {
    Instant now = clock.instant();
    Instant before = told.get(complaint);
    boolean isNew = before == null || now.isAfter(before.plus(quiet));
    if (isNew) {
      told.putLast(complaint, now);
      if (told.size() > KEPT) {
        told.pollFirstEntry();
      }
    }
    return isNew;
  }
}
