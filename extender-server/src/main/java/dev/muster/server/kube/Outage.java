package dev.muster.server.kube;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the cluster is out of sight, or was just now.
///
/// While it is, no time is told: a gang that became whole meanwhile would look late for its
/// `bindTimeout` and be evicted. What is missed comes with the next list, so time stands still as
/// long again after the last watch is up, but no longer than [#SETTLE]: a watch that the API server
/// renews is down for a moment, several times an hour.
final class Outage {
  /// How long after an outage no time is told at most: for what was missed to arrive, and for
  /// kube-scheduler, which was cut off as well, to go on.
  static final Duration SETTLE = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(Outage.class);

  private Optional<Instant> began = Optional.empty();
  private Instant lastLost = Instant.MIN;

  /// Looks at the watches; asked every second.
  ///
  /// @param lost whether one of them is down
  /// @return whether the outage goes on, or has just ended
  boolean goesOn(boolean lost, Instant now) {
    if (lost) {
      began = began.or(() -> Optional.of(now));
      lastLost = now;
    } else if (began.isPresent() && !now.isBefore(lastLost.plus(settle(began.get())))) {
      tell(Duration.between(began.get(), lastLost));
      began = Optional.empty();
    }
    return began.isPresent();
  }

  private Duration settle(Instant start) {
    Duration lasted = Duration.between(start, lastLost);
    return lasted.compareTo(SETTLE) < 0 ? lasted : SETTLE;
  }

  private static void tell(Duration time) {
    if (time.compareTo(SETTLE) > 0) {
      log.info("The cluster was out of sight for {}; no time ran out meanwhile.", time);
    }
  }
}
