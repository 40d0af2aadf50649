package dev.muster.server.logging;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;

/// Keeps a complaint from being repeated too soon while it stays the same.
public final class Complaints {
  /// So many are remembered: of those that take turns, none is told each time.
  private static final int KEPT = 64;

  private final Duration quiet;
  private final InstantSource clock;
  private final LinkedHashMap<String, Instant> told = new LinkedHashMap<>(); // the newest last

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
