package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.preemption.PreemptionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/// The scheduler: a pure function of what was true and what happened. One step goes
///
/// 1. what is true now: the event's facts are applied, and time that was lost is given back;
/// 2. what was promised: reservations that the facts fulfil end, those they break lose the broken
///    part, those that ran out of time are released; room that is kept for gangs that cannot use it
///    yet is planned, moved, or given up; after a start the preemptions that an earlier run had
///    begun are taken up;
/// 3. whose turn it is: the gangs that this event may have given a chance; then those to which a
///    plan lost or moved in these turns gave one;
/// 4. each of them, in the policy's order, is placed whole, or told why not; the next one sees the
///    reservation just made;
/// 5. who is stopped for those that wait on; what is called off for it gives others a chance;
/// 6. what to ask of the world, and what to show.
///
/// The engine knows no clock, no I/O and no chance: time comes with the event, and equal inputs
/// give equal steps.
///
/// @param policies its whole configuration
public record Engine(Policies policies) {
  /// The same engine with another policy of preemption.
  public Engine with(PreemptionPolicy other) {
    return new Engine(policies.with(other));
  }

  /// What the event comes to in this state.
  ///
  /// What happened is told by comparing with `before`, the last state with lost time given back;
  /// what is to be asked of the world by comparing with `began`, which differs from it only at a
  /// start, when it also knows the preemptions that are recorded on the gangs' objects. Between
  /// them each part is handed the state of the one before it.
  public Step step(State last, Event event) {
    State before = LostTime.after(event, last, policies);
    Cluster facts = before.cluster().apply(event); // 1
    if (!facts.synced()) {
      return new Step(before.with(facts), List.of(), List.of());
    }
    boolean first = !before.cluster().synced();
    State began = first ? PreemptionRecovery.recorded(before, facts) : before;
    ReservationUpkeep.Kept kept =
        ReservationUpkeep.after(event, before.cluster(), facts, policies); // 2
    HoldUpkeep.Kept held = HoldUpkeep.after(event, began, kept, policies);
    PreemptionUpkeep.Kept vacating =
        first
            ? PreemptionUpkeep.Kept.of(PreemptionRecovery.takenUp(held.state(), policies))
            : PreemptionUpkeep.after(event, held.state(), policies);
    Turn turn = Turn.after(event, before, held.with(vacating), policies.quota()); // 3
    Round.Taken tried = Round.all(turn, vacating.state(), policies); // 4
    // What was taken up for a gang that has a place now, or lost it, is called off at once.
    State state =
        first ? PreemptionUpkeep.after(event, tried.after(), policies).state() : tried.after();
    Seeking.Made sought = Seeking.after(event, state, policies); // 5
    Round.Taken freed = Round.all(woken(tried.after(), sought.state()), sought.state(), policies);
    List<Decision> decisions = new ArrayList<>(held.releases());
    decisions.addAll(held.planned());
    decisions.addAll(tried.decisions());
    decisions.addAll(sought.decisions());
    decisions.addAll(freed.decisions());
    TreeSet<GangId> touched = new TreeSet<>(held.touched());
    touched.addAll(tried.tried());
    touched.addAll(freed.tried());
    Step turned = new Step(freed.after(), decisions, List.of());
    return Effects.of(event, began, turned, touched, policies); // 6
  }

  @SuppressWarnings("ReferenceEquality") // mostly nothing was called off, and all is as it was
  private Turn woken(State before, State after) {
    return before.cluster() == after.cluster()
        ? Turn.NOBODYS
        : Turn.again(before, after, policies.quota());
  }
}
