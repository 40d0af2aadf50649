package dev.muster.server.kube;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Whether a watch has been silent for so long that its connection may be dead without a word: a
/// machine that lost its power, or a firewall that forgot the connection, closes nothing.
///
/// Goal: noticed before the members of a gang that start behind our back look late (`bindTimeout`,
/// 2 minutes unless configured otherwise).
///
/// Constraints: the client sends no pings. The API server sends a bookmark about every minute, but
/// on older versions, and with an etcd that tells no progress, that moves the version only if
/// objects of the kind changed. So a watch that is alive may be silent for days.
final class Silence {
  static final Duration PATIENCE = Duration.ofSeconds(100);

  private Optional<String> version = Optional.empty();
  private Instant since = Instant.EPOCH;

  /// Looks at the watch, asked every few seconds; while it is too long, something is to be done.
  ///
  /// @param newest the newest version that it has told of
  boolean isTooLong(String newest, Instant now) {
    if (!version.equals(Optional.of(newest))) {
      version = Optional.of(newest);
      since = now;
    }
    return !now.isBefore(since.plus(PATIENCE));
  }

  /// It is known that nothing was missed until now.
  void isExplained(Instant now) {
    since = now;
  }
}
