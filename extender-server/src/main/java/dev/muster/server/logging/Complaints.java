package dev.muster.server.logging;

import java.time.Duration;
import java.time.Instant;

/// Keeps a complaint from being repeated more than once a minute while it stays the same.
public final class Complaints {
  private static final Duration QUIET = Duration.ofMinutes(1);

  private String last = "";
  private Instant at = Instant.EPOCH;

  /// Whether it is to be told now; for any thread.
  public synchronized boolean isNew(String complaint) {
    Instant now = Instant.now();
    boolean isNew = !complaint.equals(last) || now.isAfter(at.plus(QUIET));
    if (isNew) {
      last = complaint;
      at = now;
    }
    return isNew;
  }
}
