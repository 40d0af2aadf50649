package dev.muster.server.kube;

import java.time.Duration;
import java.time.Instant;

/// Whether a watch has been silent for so long that its connection may be dead without a word: a
/// machine that lost its power, or a firewall that forgot the connection, closes nothing.
///
/// Goals: noticed before the members of a gang that start behind our back look late (`bindTimeout`,
/// 2 minutes unless configured otherwise); a cluster in which nothing happens is not listed again
/// and again.
///
/// Constraints: the client sends no pings. The API server sends a bookmark about every minute, but
/// on older versions that moves the version only if objects of the kind changed.
///
/// Algorithm: too long is [#PATIENCE], and twice as long after each time that it was for nothing,
/// up to [#MOST]. A version that moves by itself, not by the list that follows a new start, shows
/// that the watch is alive.
final class Silence {
  static final Duration PATIENCE = Duration.ofSeconds(100);
  static final Duration MOST = Duration.ofMinutes(10);

  private String version = "";
  private Instant since = Instant.MAX;
  private Duration patience = PATIENCE;
  private boolean startedAnew;

  /// Looks at the watch, asked every few seconds; if it was silent for too long it is to be started
  /// anew.
  ///
  /// @param newest the newest version that it has told of
  boolean isTooLong(String newest, Instant now) {
    if (!newest.equals(version)) {
      patience = startedAnew ? patience : PATIENCE;
      startedAnew = false;
      version = newest;
      since = now;
      return false;
    }
    if (since.equals(Instant.MAX) || now.isBefore(since.plus(patience))) {
      return false;
    }
    patience = patience.multipliedBy(2).compareTo(MOST) < 0 ? patience.multipliedBy(2) : MOST;
    startedAnew = true;
    since = now;
    return true;
  }
}
