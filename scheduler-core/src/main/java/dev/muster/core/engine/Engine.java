package dev.muster.core.engine;

import dev.muster.core.cluster.Event;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.SchedulingRound;
import dev.muster.core.preempt.PreemptionRecovery;
import dev.muster.core.preempt.PreemptionUpkeep;
import dev.muster.core.preempt.VictimEffectWriter;
import dev.muster.core.preempt.VictimSelection;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.upkeep.DoubtfulAnswers;
import dev.muster.core.upkeep.GangRelease;
import dev.muster.core.upkeep.HoldUpkeep;
import dev.muster.core.upkeep.ReservationUpkeep;
import dev.muster.core.upkeep.RuntimeLearning;
import dev.muster.core.upkeep.StartPlans;
import dev.muster.core.victims.PreemptionPolicy;

/// The engine is the scheduler: a pure function of a state and an event. One step
///
/// 1. applies the event's facts, and credits time in which nobody could act;
/// 2. keeps what was promised true to the facts: reservations, holds, planned starts, preemptions;
/// 3. wakes the gangs that the event may have given a chance, and orders them by the policy;
/// 4. places each of them whole, or explains why not; the next one sees the reservation just made;
/// 5. chooses victims for those that still wait; capacity that is given back wakes others;
/// 6. asks for what the world has to do, and publishes what changed.
///
/// Example: two racks of two nodes are full. Gang `a` runs on the first rack. Gang `b` has two
/// members of one node each, must be within one rack, and waits. One pod of `a` has ended; its node
/// is held until the other pod has ended, too. Now the node agent reports that end:
///
/// 1. the image has both nodes free, apart from the hold on the first;
/// 2. no pod of `a` is left to wait for: the hold is dropped;
/// 3. two nodes have more free capacity than before, which is what `b` waits for: it is woken;
/// 4. it fits on the first rack: `Decision.Admit`, and a `Reservation` with two promises;
/// 5. no victims are chosen: that is done at ticks;
/// 6. [Effect.WriteReservation] and [Effect.Publish] for `b`. Once the reservation is written, the
///    step of that event asks for an [Effect.StartMember] of each pod.
///
/// The engine has no clock, no I/O and no randomness: time comes with the event, and equal inputs
/// give equal steps.
///
/// @param policies its whole configuration
public record Engine(Policies policies) {
  /// The same engine with another preemption policy.
  public Engine with(PreemptionPolicy other) {
    return new Engine(policies.with(other));
  }

  /// The state, the decisions and the effects after the event.
  public Step step(State last, Event event) {
    Cycle cycle = Cycle.begin(last, event, policies); // 1
    if (!cycle.isSynced()) {
      return cycle.end(); // half a picture is no ground for a decision
    }
    return upkeep(cycle)
        .then(SchedulingRound::run) // 3 and 4: an admitted gang is one victim search less
        .then(PreemptionUpkeep::reviewRecovered) // a gang just placed needs no victims any more
        .then(VictimSelection::run) // 5: last, since preemption is what costs others work
        .then(SchedulingRound::again) // preemptions called off gave capacity back
        .then(VictimEffectWriter::run) // 6: record, notify and evict victims, or reprieve them
        .then(EffectWriter::run) // write reservations, start members, publish statuses
        .end();
  }

  /// What was promised, kept true to the facts. Each stage sees the room that those before it
  /// freed.
  static Cycle upkeep(Cycle cycle) {
    return cycle
        .then(PreemptionRecovery::read) // 2: after a restart, the preemptions that objects record
        .then(ReservationUpkeep::run) // first: all else depends on which pods are placed
        .then(RuntimeLearning::run) // before plans are made by expected runtimes
        .then(HoldUpkeep::run) // capacity of failed members and of gangs that are ending
        .then(StartPlans::run) // reserves for large gangs what holds leave free
        .then(DoubtfulAnswers::run) // answers that read otherwise now, though no gang can start
        .then(GangRelease::run) // once all upkeep that could release a gang is done
        .then(PreemptionRecovery::resume) // needs the reservations; only after a restart
        .then(PreemptionUpkeep::run); // carries on preemptions, or calls them off
  }
}
