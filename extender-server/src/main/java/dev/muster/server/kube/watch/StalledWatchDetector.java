package dev.muster.server.kube.watch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Detects a watch without news for so long that its connection may be dead. A machine that lost
/// its power, or a firewall that dropped the connection, sends no end of it.
///
/// Goal: detect this within seconds, before Muster decides much on an old image.
///
/// Constraints: HTTP has no pings. The API server sends a bookmark about every minute. On older
/// versions, and with an etcd without progress notices, it moves the version only if objects of the
/// kind changed. So a working watch may be silent for days, and silence alone proves nothing. The
/// check is one small call for each silent kind in this time.
final class StalledWatchDetector {
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private Optional<String> version = Optional.empty();
  private Instant since = Instant.EPOCH;

  /// Records the newest version and returns true if the watch has been silent for too long. Called
  /// every few seconds; the result stays true until the watch is checked.
  ///
  /// @param newest newest version that the watch has received
  boolean isTooLong(String newest, Instant now) {
    if (!version.equals(Optional.of(newest))) {
      version = Optional.of(newest);
      since = now;
    }
    return !now.isBefore(since.plus(PATIENCE));
  }

  /// Records that nothing was missed until now.
  void isExplained(Instant now) {
    since = now;
  }
}
