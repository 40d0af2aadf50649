package dev.muster.server.kube;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the cluster is out of sight, or was just now; and how much time was lost by that.
///
/// While it is, no time is told: a gang that became whole meanwhile would look late for its
/// `bindTimeout` and be evicted. What is missed comes with the next list, so time stands still as
/// long again after the last watch is up, but no longer than [#SETTLE]: a watch that the API server
/// renews is down for a moment, several times an hour.
///
/// The same holds where nobody could look for long: the machine was asleep, or its clock was set
/// ahead. Its watches may look well for a while then, though they are dead.
final class Outage {
  /// How long after an outage no time is told at most: for what was missed to arrive, and for
  /// kube-scheduler, which was cut off as well, to go on.
  static final Duration SETTLE = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(Outage.class);

  private Optional<Instant> began = Optional.empty();
  private Instant lastLost = Instant.MIN;
  private Optional<Instant> looked = Optional.empty();
  private Duration missed = Duration.ZERO;

  /// Looks at the watches; asked every second.
  ///
  /// @param lost whether one of them is down
  /// @return whether the outage goes on, or has just ended
  boolean goesOn(boolean lost, Instant now) {
    Optional<Instant> slept = looked.filter(last -> now.isAfter(last.plus(SETTLE)));
    slept.ifPresent(last -> tellSleep(Duration.between(last, now)));
    if (lost || slept.isPresent()) {
      began = began.or(() -> slept).or(() -> Optional.of(now));
      lastLost = now;
    } else if (began.isPresent() && !now.isBefore(lastLost.plus(settle(began.get())))) {
      tell(Duration.between(began.get(), lastLost));
      missed = missed.plus(Duration.between(began.get(), now));
      began = Optional.empty();
    }
    return began.isPresent();
  }

  /// What was to be done after looking is done, however long that took.
  void looked(Instant now) {
    looked = Optional.of(now);
  }

  /// The time that was lost since it was last told of; absent when none was.
  Optional<Duration> missed() {
    return missed.isZero() ? Optional.empty() : Optional.of(missed);
  }

  /// The engine knows of the time that was lost.
  void told() {
    missed = Duration.ZERO;
  }

  private Duration settle(Instant start) {
    Duration lasted = Duration.between(start, lastLost);
    return lasted.compareTo(SETTLE) < 0 ? lasted : SETTLE;
  }

  private static void tellSleep(Duration time) {
    log.warn(
        "For {} nobody looked at the cluster; no time runs out for that. Maybe the machine was asleep, or its clock was set ahead.",
        time);
  }

  private static void tell(Duration time) {
    if (time.compareTo(SETTLE) > 0) {
      log.info("The cluster was out of sight for {}; no time ran out meanwhile.", time);
    }
  }
}
