package dev.muster.simulator.run.engine;

import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.StartForecast;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import dev.muster.core.state.WaitingGangs;
import java.time.Duration;
import java.time.Instant;

/// Computes the time of the next tick that can change anything.
///
/// The live server ticks every second. If nothing happened since the previous tick, only time has
/// passed. Then a tick matters when a time that the state names is reached. So ticks are due:
///
/// - at the first second after any event, and after any tick that changed something
/// - when a plan or a reservation comes due
/// - every second while victims are sought, since each tick searches for two gangs
///
/// Doubtful refusals can wait. None of those gangs can start, and any event that would let them
/// start wakes them. The exception is a gang that was refused because no node would do: nothing is
/// planned for it and no victim is evicted. While such a refusal is doubtful, a tick is due every
/// second. So it is while a class was passed over: its gangs may start.
final class TickSchedule {
  private static final long SECOND = 1_000;

  /// The limit for changes by time alone, if no other event is due.
  private static final long PATIENCE = Duration.ofHours(2).toMillis();

  private final Policies policies;
  private final Instant start;
  private long last = -1;
  private long changed;
  private boolean ticking;
  private boolean seeking;

  TickSchedule(Policies policies, Instant start) {
    this.policies = policies;
    this.start = start;
  }

  /// Records a tick.
  void tick(long millis) {
    last = millis;
    ticking = true;
  }

  /// Records the step of an event, or of a tick.
  void stepped(State before, State after, long millis) {
    if (!ticking || isChanged(before, after)) {
      changed = millis;
    }
    seeking = ticking && differ(before.preemptions().again(), after.preemptions().again());
    ticking = false;
  }

  private static boolean isChanged(State before, State after) {
    return !before.startForecasts().equals(after.startForecasts())
        || !before.cluster().holds().equals(after.cluster().holds())
        || !before.cluster().reservations().equals(after.cluster().reservations())
        || !before.waiting().timed().equals(after.waiting().timed())
        || differ(before.preemptions().underWay(), after.preemptions().underWay());
  }

  private static <V> boolean differ(SortedTable<GangId, V> before, SortedTable<GangId, V> after) {
    return !after.differences(before).isEmpty();
  }

  /// Returns the time of the next tick; never if time alone changes nothing.
  ///
  /// @param idle true if no other event is due
  long next(State state, boolean idle) {
    boolean stale = state.waiting().doubtful().first(TickSchedule::isUrgent).isPresent();
    if (!stale && !needsTime(state)) {
      return Long.MAX_VALUE;
    }
    boolean doubtful = stale || (idle && !state.waiting().doubtful().isEmpty());
    long due = changed >= last || doubtful ? changed : seeking ? last : named(state);
    return due == Long.MAX_VALUE || (idle && due > changed + PATIENCE)
        ? Long.MAX_VALUE
        : Math.max(secondAfter(due), secondAfter(last));
  }

  private static long secondAfter(long millis) {
    return Math.floorDiv(millis, SECOND) * SECOND + SECOND;
  }

  private static boolean needsTime(State state) {
    return !state.cluster().reservations().isEmpty()
        || !state.cluster().holds().isEmpty()
        || !state.waiting().timed().isEmpty()
        || state.waiting().classes().first(TickSchedule::hopes).isPresent();
  }

  private static boolean hopes(WaitClass waits) {
    return !isHopeless(waits);
  }

  private static boolean isUrgent(WaitClass doubted) {
    return isHopeless(doubted) || WaitingGangs.isPassedOver(doubted);
  }

  private static boolean isHopeless(WaitClass waits) {
    return waits.why().main().map(Veto::remedy).filter(Remedy.NEVER::equals).isPresent();
  }

  private long named(State state) {
    long due = Long.MAX_VALUE;
    for (Hold hold : state.cluster().holds()) {
      due = Math.min(due, due(hold));
    }
    for (GangId gang : state.startForecasts().keys()) {
      boolean vain = state.failedPlans().gangs().contains(gang);
      due = Math.min(due, due(state.startForecasts().get(gang).orElseThrow(), vain));
    }
    for (Instant at : state.waiting().timed()) {
      due = Math.min(due, after(at));
    }
    for (Reservation reservation : state.cluster().reservations()) {
      due = Math.min(due, after(reservation.until()));
    }
    for (Instant at : state.preemptions().again()) {
      due = Math.min(due, after(at));
    }
    for (Preemption preemption : state.preemptions().underWay()) {
      due = Math.min(due, due(preemption));
    }
    return due;
  }

  private long due(Preemption preemption) {
    long due = after(preemption.again());
    for (Preemption.Stop stop : preemption.stops()) {
      due = Math.min(due, stop.deadline().map(this::after).orElse(Long.MAX_VALUE));
    }
    return due;
  }

  private long due(Hold hold) {
    return switch (hold.kind()) {
      case PLANNED ->
          Math.min(
              hold.start().map(this::after).orElse(Long.MAX_VALUE),
              after(hold.since().plus(policies.backfill().drainAfter())));
      case DRAINING -> Math.min(hold.start().map(this::after).orElse(Long.MAX_VALUE), reckoned());
      case EXCEEDING, VACATING, RECLAIMING -> Long.MAX_VALUE; // due times are in its preemption
      case ENDING -> after(hold.since().plus(Hold.ENDING_WITHIN));
      case HOLE -> after(hold.since().plus(policies.repairTimeout()));
    };
  }

  /// Returns the time at which draining limits are computed again.
  private long reckoned() {
    Instant seen = start.plusMillis(Math.max(0, last));
    return after(StartForecast.reckoned(seen).plus(StartForecast.RECKONED));
  }

  /// Returns the due time of a forecast. A search that failed is repeated only after an event.
  private long due(StartForecast forecast, boolean vain) {
    long drained = after(forecast.drained(policies.backfill().drainAfter()));
    return vain ? drained : Math.min(drained, after(forecast.again()));
  }

  /// Returns the millisecond before the instant; never if a tick has already covered the instant.
  private long after(Instant at) {
    long millis = millis(at);
    return millis <= last ? Long.MAX_VALUE : millis - 1;
  }

  private long millis(Instant at) {
    return Duration.between(start, at).toMillis();
  }
}
