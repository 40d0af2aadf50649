package dev.muster.core.cycle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Intervals;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.Preemption.Stop;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Outage credit moves deadlines by the duration of an outage.
///
/// No gang is evicted, released or rejected because a clock was set ahead, or because Muster could
/// not see or act for a while.
///
/// - Gangs that start, and gangs that lack a member, keep the remaining time that they had, but at
///   most the full time.
/// - A victim with a notice time that ended during the outage is notified again, with the full
///   notice time.
/// - All other times pass as usual: usage, waiting time, the history of preemptions.
final class OutageCredit {
  private final Policies policies;
  private final Instant now;
  private final Duration lost;
  private State state;

  private OutageCredit(State state, Policies policies, Instant now, Duration lost) {
    this.state = state;
    this.policies = policies;
    this.now = now;
    this.lost = lost;
  }

  /// Returns the state with the outage credited that the tick states.
  static State credit(Event event, State state, Policies policies) {
    if (!(event instanceof Event.Tick(Instant now, Optional<Duration> lost)) || lost.isEmpty()) {
      return state;
    }
    OutageCredit work = new OutageCredit(state, policies, now, lost.get());
    state.cluster().reservations().forEach(work::give);
    state.cluster().holds().forEach(work::give);
    state.preemptions().underWay().forEach(work::give);
    SortedTable<GangId, Instant> broken = state.broken();
    for (GangId gang : broken.keys()) {
      broken = broken.with(gang, work.later(broken.get(gang).orElseThrow(), now));
    }
    return work.state.broken(broken);
  }

  /// Returns the instant moved by the outage, but no later than `last`.
  private Instant later(Instant at, Instant last) {
    Instant moved = at.plus(lost);
    return moved.isBefore(last) ? moved : at.isAfter(last) ? at : last;
  }

  private void give(Reservation held) {
    Cluster cluster = state.cluster();
    if (!held.releasing()) {
      Instant last = now.plus(policies.bindTimeout());
      state = state.with(cluster.noted(held.endingAt(later(held.until(), last))));
    }
  }

  private void give(Hold hold) {
    if (hold.kind() == Hold.Kind.HOLE) {
      state = state.with(state.cluster().with(hold.keptSince(later(hold.since(), now))));
    }
  }

  private void give(Preemption preemption) {
    if (preemption.over() || (preemption.evicting() && !preemption.stops().isEmpty())) {
      return;
    }
    SortedTable<GangId, Stop> stops = preemption.stops();
    for (Stop stop : stops) {
      stops = stops.with(stop.victim().gang(), isOver(stop) ? stop.unnotified() : stop);
    }
    boolean gone = stops.isEmpty(); // it still has time to start
    Instant again = gone ? later(preemption.again(), now.plus(Intervals.START)) : now;
    Preemption other = preemption.with(stops).as(preemption.recorded(), again);
    state = state.with(state.preemptions().with(other));
  }

  /// True if the notice time ended during the outage.
  private boolean isOver(Stop stop) {
    return stop.deadline()
        .filter(at -> at.isAfter(now.minus(lost)) && !at.isAfter(now))
        .isPresent();
  }
}
