package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// The scheduler: a pure function of what was true and what happened. One turn goes
///
/// 1. what is true now: the event's facts are applied;
/// 2. what was promised: reservations that the facts fulfil end, those they break lose the broken
///    part, those that ran out of time are released;
/// 3. whose turn it is: the gangs that this event may have given a chance, in the policy's order;
///    then those to which a plan lost or moved in these turns gave one;
/// 4. each of them is placed whole, or told why not; the next one sees the reservation just made;
/// 5. what to ask of the world, and what to show.
///
/// The engine knows no clock, no I/O and no chance: time comes with the event, and equal inputs
/// give equal steps.
///
/// @param policies its whole configuration
public record Engine(Policies policies) {
  /// One turn.
  public Step step(State before, Event event) {
    Cluster facts = before.cluster().apply(event); // 1
    if (!facts.synced()) {
      return new Step(before.with(facts), List.of(), List.of());
    }
    Upkeep.Kept kept = Upkeep.after(event, before.cluster(), facts, policies); // 2
    State state = before.with(kept.cluster());
    List<Decision> decisions = new ArrayList<>(kept.releases());
    for (Decision release : kept.releases()) {
      state = state.with(release);
    }
    TreeSet<GangId> touched = new TreeSet<>(kept.touched());
    Turn turn = Turn.after(event, before, state, kept); // 3
    while (!turn.gangs().isEmpty()) {
      State start = state;
      for (Gang gang : turn.inOrder(policies.order())) {
        Attempt attempt = Attempt.of(gang.id(), state, policies); // 4
        state = attempt.after();
        attempt.decision().ifPresent(decisions::add);
      }
      touched.addAll(turn.gangs());
      turn = Turn.again(start, state);
    }
    return Effects.of(event, before, forgetting(state, touched), decisions, touched); // 5
  }

  /// Of a gang of which nothing is left nothing is said any more.
  private static State forgetting(State state, SortedSet<GangId> touched) {
    State rest = state;
    for (GangId gang : touched) {
      rest = rest.cluster().gangs().contains(gang) ? rest : rest.settled(gang);
    }
    return rest;
  }
}
