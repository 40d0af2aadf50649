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
import dev.muster.core.upkeep.AvoidanceUpkeep;
import dev.muster.core.upkeep.DoubtfulAnswers;
import dev.muster.core.upkeep.GangRelease;
import dev.muster.core.upkeep.HoldUpkeep;
import dev.muster.core.upkeep.ReservationUpkeep;
import dev.muster.core.upkeep.RuntimeLearning;
import dev.muster.core.upkeep.StartPlans;
import dev.muster.core.victims.PreemptionPolicy;

/// The engine is the scheduler: a pure function from a state and an event to a [Step].
///
/// Each step runs these stages:
///
/// 1. **Facts.** Apply the event to the image of the cluster, and credit the duration of an outage.
/// 2. **Upkeep.** Update reservations, holds, planned starts and preemptions by the new facts.
/// 3. **Wake-up.** Select the gangs that the event may help, and order them by the policy.
/// 4. **Placement.** Place each gang as a whole, or state why not. Each attempt sees the
///    reservations made before it.
/// 5. **Preemption.** Select victims for gangs that still wait. Capacity released by cancelled
///    preemptions wakes further gangs.
/// 6. **Effects.** Request the writes that are due, and publish changed statuses.
///
/// Example: two racks of two nodes are full. Gang `a` runs on the first rack. Gang `b` waits: it
/// has two members of one node each, and all must be in one rack. One pod of `a` has ended, and its
/// node is held until the other pod has ended too. The event is the end of that other pod:
///
/// 1. Both nodes are free in the image, apart from the hold on the first.
/// 2. No pod of `a` runs any more, so the hold is dropped.
/// 3. Two nodes have more free capacity than before. `b` waits for capacity, so it is woken.
/// 4. `b` fits on the first rack. It gets a `Decision.Admit`, and a `Reservation` with two
///    promises.
/// 5. No victims are searched, since that is done at ticks only.
/// 6. The effects are `Effect.WriteReservation` and `Effect.Publish` for `b`. Once an event
///    confirms the written reservation, that step requests an `Effect.StartMember` for each pod.
///
/// The engine has no clock, no I/O and no randomness. Time comes with the event, and equal inputs
/// give equal steps.
///
/// @param policies the whole configuration of the engine
public record Engine(Policies policies) {
  /// Returns this engine with another preemption policy.
  public Engine with(PreemptionPolicy other) {
    return new Engine(policies.with(other));
  }

  /// Returns the state, the decisions and the effects after the event. Until all objects have been
  /// seen, only the facts are applied.
  public Step step(State last, Event event) {
    Cycle cycle = Cycle.begin(last, event, policies); // 1
    if (!cycle.isSynced()) {
      return cycle.end(); // no decision is made on an incomplete image
    }
    return upkeep(cycle)
        .then(SchedulingRound::run) // 3 and 4: first, since an admitted gang needs no victims
        .then(PreemptionUpkeep::reviewRecovered) // a placed gang needs no victims any more
        .then(VictimSelection::run) // 5: last, since preemption costs other gangs their work
        .then(SchedulingRound::again) // cancelled preemptions released capacity
        .then(VictimEffectWriter::run) // 6: record, notify and evict victims, or reprieve them
        .then(EffectWriter::run) // write reservations, start members, publish statuses
        .end();
  }

  /// Updates reservations, holds, planned starts and preemptions by the facts. Each stage sees the
  /// capacity released by the stages before it.
  static Cycle upkeep(Cycle cycle) {
    return cycle
        .then(PreemptionRecovery::read) // 2: after a restart, the preemptions that objects record
        .then(AvoidanceUpkeep::run) // nodes that gangs avoid, before members are placed again
        .then(ReservationUpkeep::run) // before the rest, which depends on the places of pods
        .then(RuntimeLearning::run) // before plans, which use expected runtimes
        .then(HoldUpkeep::run) // capacity of failed members and of ending gangs
        .then(StartPlans::run) // plans starts on capacity that other holds leave
        .then(DoubtfulAnswers::run) // answers that may be out of date, though no gang can start
        .then(GangRelease::run) // after all stages that may release a gang
        .then(PreemptionRecovery::resume) // needs the reservations; only after a restart
        .then(PreemptionUpkeep::run); // carries preemptions on, or cancels them
  }
}
