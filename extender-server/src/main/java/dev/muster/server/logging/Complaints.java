package dev.muster.server.logging;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Keeps a complaint from being repeated too soon while it stays the same.
public final class Complaints {
  private final Duration quiet;
  private final InstantSource clock;
  private String last = "";
  private Instant at = Instant.EPOCH;

  /// The same is told again after a minute.
  public Complaints() {
    this(Duration.ofMinutes(1), InstantSource.system());
  }

  /// @param quiet after how long the same is told again
  public Complaints(Duration quiet, InstantSource clock) {
    this.quiet = quiet;
    this.clock = clock;
  }

  /// Whether it is to be told now; for any thread.
  public synchronized boolean isNew(String complaint) {
    Instant now = clock.instant();
    boolean isNew = !complaint.equals(last) || now.isAfter(at.plus(quiet));
    if (isNew) {
      last = complaint;
      at = now;
    }
    return isNew;
  }
}
