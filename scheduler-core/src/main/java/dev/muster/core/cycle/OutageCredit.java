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

/// Gives back the time that nobody lived through: nobody is evicted, released or given up because a
/// clock was set ahead, or because nothing could be seen or done for a while.
///
/// Gangs that start, and those that lack a member, have as much time left as they had, and never
/// more than the whole. A victim whose notice was over meanwhile is told again, and has the whole
/// of it. All else just ages: what was used, how long gangs wait, how often some were stopped.
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

  /// The state with the time given back that the tick says was lost.
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

  /// The instant so much later, but not later than the last.
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
      stops = stops.with(stop.victim().gang(), isOver(stop) ? stop.untold() : stop);
    }
    boolean gone = stops.isEmpty(); // then it has a while to start
    Instant again = gone ? later(preemption.again(), now.plus(Intervals.START)) : now;
    Preemption other = preemption.with(stops).as(preemption.recorded(), again);
    state = state.with(state.preemptions().with(other));
  }

  /// Whether its notice was over in the time that was lost.
  private boolean isOver(Stop stop) {
    return stop.deadline()
        .filter(at -> at.isAfter(now.minus(lost)) && !at.isAfter(now))
        .isPresent();
  }
}
