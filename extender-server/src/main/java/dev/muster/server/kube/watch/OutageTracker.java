package dev.muster.server.kube.watch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tracks outages of the cluster's API and the time lost by them.
///
/// During an outage, the engine's time stands still. Otherwise a gang completed meanwhile would
/// exceed its `bindTimeout` and be evicted. Missed changes arrive with the next list. So time
/// stands still for the duration of the outage again after the last watch is up, but at most for
/// [#SETTLE]. Short outages are normal: a watch that the API server renews is down for a moment,
/// several times an hour.
///
/// An outage that begins less than [#STEADY] after the last one counts only half, and nothing is
/// added to it. So a connection that fails again and again cannot make time stand still: after the
/// first outage, at least half of the time passes. A timeout ends within twice its length, plus the
/// first outage, at the first look at which no watch is down.
///
/// A long pause of this process is handled like an outage: the machine was asleep, or its clock was
/// set ahead. The watches may then look alive for a while although they are dead.
public final class OutageTracker {
  /// Maximum time after an outage in which time stands still. In this time, missed changes arrive
  /// and kube-scheduler, which was disconnected too, resumes.
  static final Duration SETTLE = Duration.ofSeconds(10);

  /// Time without an outage after which the next one counts in full.
  static final Duration STEADY = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(OutageTracker.class);

  private Optional<Instant> began = Optional.empty();
  private Instant lastLost = Instant.MIN;
  private Optional<Instant> lastEnd = Optional.empty();
  private boolean repeated;
  private Optional<Instant> looked = Optional.empty();
  private Duration missed = Duration.ZERO;

  boolean goesOn(boolean lost, Instant now) {
    return goesOn(lost, now, now);
  }

  /// Records the state of the watches. Called every second.
  ///
  /// @param lost true if a watch is down
  /// @param since time at which it went down
  /// @return true if the outage continues or has just ended
  public boolean goesOn(boolean lost, Instant since, Instant now) {
    Optional<Instant> slept = looked.filter(last -> now.isAfter(last.plus(SETTLE)));
    slept.ifPresent(last -> reportSleep(Duration.between(last, now)));
    if (lost || slept.isPresent()) {
      if (began.isEmpty()) {
        begin(slept.orElse(since));
      }
      lastLost = now;
    } else if (began.isPresent() && !now.isBefore(lastLost.plus(settle(began.get())))) {
      report(Duration.between(began.get(), lastLost));
      Duration lasted = Duration.between(began.get(), now);
      missed = missed.plus(repeated ? lasted.dividedBy(2) : lasted);
      lastEnd = Optional.of(lastLost);
      began = Optional.empty();
    }
    return began.isPresent();
  }

  /// Records the end of the work after a check, so that its duration does not count as a pause.
  public void looked(Instant now) {
    looked = Optional.of(now);
  }

  /// Returns the lost time that was not passed on yet; empty if there is none.
  public Optional<Duration> missed() {
    return missed.isZero() ? Optional.empty() : Optional.of(missed);
  }

  /// Records that the lost time was passed on to the engine.
  public void reported() {
    missed = Duration.ZERO;
  }

  private void begin(Instant at) {
    began = Optional.of(at);
    repeated = lastEnd.filter(end -> at.isBefore(end.plus(STEADY))).isPresent();
  }

  private Duration settle(Instant start) {
    if (repeated) {
      return Duration.ZERO;
    }
    Duration lasted = Duration.between(start, lastLost);
    return lasted.compareTo(SETTLE) < 0 ? lasted : SETTLE;
  }

  private static void reportSleep(Duration time) {
    log.warn(
        "The cluster was not checked for {}; this time does not count against timeouts. The machine may have been asleep, or its clock was set ahead.",
        time);
  }

  private static void report(Duration time) {
    if (time.compareTo(SETTLE) > 0) {
      log.info(
          "The cluster was unreachable for {}; this time does not count against timeouts.", time);
    }
  }
}
