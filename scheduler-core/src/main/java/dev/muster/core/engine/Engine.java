package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.preemption.PreemptionPolicy;
import java.util.List;

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
/// Example: two racks of two nodes are full. Gang `a` runs on the first rack; gang `b`, of two
/// members that need a node each, must be within one rack and waits. One pod of `a` has ended, and
/// what it left is held until the other has. Now that is seen to have ended, too:
///
/// 1. the image has both nodes free, but for the hold on the first;
/// 2. nothing of `a` is left to wait for: the hold is given up;
/// 3. two nodes offer more than before, and `b` waits for that: it is its turn;
/// 4. it fits on the first rack: `Decision.Admit`, and a `Reservation` with two promises;
/// 5. nobody is sought to be stopped, which is done at ticks;
/// 6. [Effect.WriteReservation] and [Effect.Publish] for `b`. Once the reservation is written, that
///    event's step asks for an [Effect.StartMember] of each pod.
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
  /// them each part is handed the state of the one before it, and adds to the [News].
  public Step step(State last, Event event) {
    State before = LostTime.after(event, last, policies);
    Cluster facts = before.cluster().apply(event); // 1
    if (!facts.synced()) {
      return new Step(before.with(facts), List.of(), List.of());
    }
    boolean first = !before.cluster().synced();
    State began = first ? PreemptionRecovery.recorded(before, facts) : before;
    News news = new News();
    Cluster kept = ReservationUpkeep.after(event, before.cluster(), facts, policies, news); // 2
    State held = HoldUpkeep.after(event, before.cluster(), began.with(kept), policies, news);
    State vacated =
        first
            ? PreemptionRecovery.takenUp(held, policies)
            : PreemptionUpkeep.after(event, held, policies, news);
    Turn turn = Turn.after(event, before, vacated, news, policies.quota()); // 3
    State tried = Round.all(turn, vacated, policies, news); // 4
    // What was taken up for a gang that has a place now, or lost it, is called off at once.
    State reviewed = first ? PreemptionUpkeep.after(event, tried, policies, news) : tried;
    State sought = Seeking.after(event, reviewed, policies, news); // 5
    State freed = Round.all(woken(tried, sought), sought, policies, news);
    State asked = Effects.of(event, began, freed, policies, news); // 6
    return new Step(asked, news.decisions(), news.effects());
  }

  @SuppressWarnings("ReferenceEquality") // mostly nothing was called off, and all is as it was
  private Turn woken(State before, State after) {
    return before.cluster() == after.cluster()
        ? Turn.NOBODYS
        : Turn.again(before, after, policies.quota());
  }
}
