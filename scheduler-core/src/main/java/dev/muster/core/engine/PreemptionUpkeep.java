package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Hold;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.engine.Preemption.Stop;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Victim;
import dev.muster.core.preemption.Candidate;
import dev.muster.core.preemption.PreemptionPolicy.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Carries preemptions on, one step at a time as the facts come: what was asked for is noted, and
/// plans that are no longer needed or can no longer come true are called off. What is due next
/// [VictimEffects] asks for.
///
/// An event costs as much as it touches: of the preemptions those are looked at again on which
/// something hangs that has changed since ([Reviewed]), and all at every tick.
final class PreemptionUpkeep {
  /// After a failure, how long to wait before the next try.
  private static final Duration RETRY = Duration.ofSeconds(5);

  /// A gang whose victims are gone, and that still found no place, gives up after this.
  static final Duration START = Duration.ofSeconds(30);

  /// A gang that has begun to leave, and that a disruption budget protects then, is given up after
  /// this.
  private static final Duration HALF_GONE = Duration.ofSeconds(30);

  /// A gang that a disruption budget protects is not asked again for so long, and one that did not
  /// start in time asks nobody.
  static final Duration BARRED = Duration.ofMinutes(10);

  private final Policies policies;
  private final News news;
  private final boolean ticking;
  private State state;

  private PreemptionUpkeep(State state, Policies policies, News news, boolean ticking) {
    this.state = state;
    this.policies = policies;
    this.news = news;
    this.ticking = ticking;
  }

  /// The state with the preemptions as the facts leave them; gangs for which the room is there now
  /// are touched.
  static State after(Event event, State state, Policies policies, News news) {
    if (state.preemptions().underWay().isEmpty()) {
      return state;
    }
    PreemptionUpkeep work =
        new PreemptionUpkeep(state, policies, news, event instanceof Event.Tick);
    if (event instanceof Event.Outcome outcome) {
      work.heard(outcome);
    }
    if (event instanceof Event.PolicyChanged && policies.preemption().mode() == Mode.ENFORCE) {
      work.state.preemptions().underWay().forEach(work::judgeAnew);
    }
    if (event instanceof Event.OfGang said
        && said.facts().stream().anyMatch(Event.GangSeen.class::isInstance)) {
      work.underWay(said.gang()).ifPresent(work::standAgain);
      work.state.preemptions().by(said.gang()).ifPresent(work::standAgain);
    }
    for (GangId gang : Reviewed.due(event, work.state)) {
      work.underWay(gang).ifPresent(work::review);
    }
    return work.state.with(work.state.preemptions().with(Reviewed.of(state)));
  }

  private Instant now() {
    return state.cluster().now();
  }

  private void put(Preemption preemption) {
    state = state.with(state.preemptions().with(preemption));
  }

  // ---- What became of what was asked ----

  private void heard(Event.Outcome outcome) {
    switch (outcome) {
      case Event.VictimsRecorded(_, GangId gang) ->
          underWay(gang)
              .filter(p -> p.recorded() == Written.ASKED)
              .ifPresent(p -> put(p.as(Written.DONE, now())));
      case Event.VictimsNotRecorded(_, GangId gang, _) ->
          underWay(gang)
              .filter(p -> p.recorded() == Written.ASKED)
              .ifPresent(p -> put(p.as(Written.NOT_YET, now().plus(RETRY))));
      case Event.VictimTold(_, GangId gang) ->
          state.preemptions().by(gang).ifPresent(p -> put(told(p, gang)));
      case Event.MemberNotEvicted(_, GangId gang, _, boolean forbidden, _) ->
          state.preemptions().by(gang).ifPresent(p -> notEvicted(p, gang, forbidden));
      case Event.ReservationWritten _,
          Event.ReservationNotWritten _,
          Event.MemberStarted _,
          Event.MemberNotStarted _ -> {}
    }
  }

  private Optional<Preemption> underWay(GangId gang) {
    return state.preemptions().underWay().get(gang);
  }

  /// What an earlier plan had it told says nothing of this one.
  private static Preemption told(Preemption preemption, GangId victim) {
    Stop stop = preemption.stops().get(victim).orElseThrow();
    return stop.deadline().isEmpty()
        ? preemption
        : preemption.with(preemption.stops().with(victim, stop.heard()));
  }

  /// A budget that forbids it protects the gang: the plan is called off before anybody else leaves
  /// in vain, and another is sought. Where some of the gang have begun to leave, the others are
  /// tried for a while, since budgets change; then they stay, and the gang may replace who left.
  private void notEvicted(Preemption preemption, GangId victim, boolean forbidden) {
    Stop stop = preemption.stops().get(victim).orElseThrow();
    boolean young = stop.evictedAt().filter(at -> now().isBefore(at.plus(HALF_GONE))).isPresent();
    if (forbidden && !(young && hasBegun(state, stop.victim()))) {
      state = calledOff(state, preemption, begun(preemption).without(victim));
      state = state.with(state.preemptions().barring(victim, now().plus(BARRED)));
      state = state.with(state.preemptions().lookingAgain(preemption.gang(), now()));
    } else {
      put(preemption.as(preemption.recorded(), now().plus(RETRY)));
    }
  }

  /// The victims that are being evicted.
  static SortedTable<GangId, Stop> begun(Preemption preemption) {
    SortedTable<GangId, Stop> begun = preemption.stops();
    for (Stop stop : preemption.stops()) {
      begun = stop.evictedAt().isEmpty() ? begun.without(stop.victim().gang()) : begun;
    }
    return begun;
  }

  /// Whether one of those who were to leave is not bound any more.
  static boolean hasBegun(State state, Victim victim) {
    Gang gang = state.cluster().gang(victim.gang());
    return victim.members().asList().stream()
        .anyMatch(pod -> gang.members().get(pod).filter(Member::isBound).isEmpty());
  }

  // ---- What another policy, or another standing, comes to ----

  /// Victims of which none has begun to leave stay where one of them, by the priorities that the
  /// objects say now, does not come after the gang any more.
  private void standAgain(Preemption preemption) {
    if (!preemption.evicting()
        && !preemption.over()
        && preemption.stops().keys().stream().anyMatch(v -> isRaised(preemption.gang(), v))) {
      callOff(preemption);
    }
  }

  private boolean isRaised(GangId preemptor, GangId victim) {
    Gang gang = state.cluster().gang(preemptor);
    Gang other = state.cluster().gang(victim);
    if (policies.priority(other) < policies.priority(gang)) {
      return false;
    }
    Subjects subjects = new Subjects(state, policies);
    return !Subjects.mayStop(subjects.asking(gang), subjects.running(other, other.bound()));
  }

  private void callOff(Preemption preemption) {
    state = calledOff(state, preemption, SortedTable.empty());
    state = state.with(state.preemptions().lookingAgain(preemption.gang(), now()));
  }

  /// Victims of which none has begun to leave need the leave of the policy in force; the time that
  /// they were told stands.
  private void judgeAnew(Preemption preemption) {
    if (preemption.evicting() || preemption.over()) {
      return;
    }
    Gang gang = state.cluster().gang(preemption.gang());
    WaitingGang preemptor = WaitingGang.of(state, gang, policies);
    SortedTable<GangId, Stop> stops = preemption.stops();
    for (Stop stop : preemption.stops()) {
      List<Member> bound = bound(stop.victim());
      Optional<Candidate> ruled = preemptor.yielding().ruled(stop, bound);
      if (!bound.isEmpty() && ruled.isEmpty()) {
        callOff(preemption);
        return;
      }
      stops = ruled.isPresent() ? stops.with(stop.victim().gang(), stop.by(ruled.get())) : stops;
    }
    put(preemption.with(stops));
  }

  private List<Member> bound(Victim victim) {
    return state.cluster().members(victim).stream().filter(Member::isBound).toList();
  }

  // ---- What is still needed ----

  private void review(Preemption old) {
    if (old.evicting()) {
      old.stops().keys().forEach(this::growNoMore);
    }
    Preemption preemption = old.with(still(old));
    boolean gone = preemption.stops().isEmpty();
    if (gone && !old.stops().isEmpty()) {
      preemption = preemption.as(preemption.recorded(), now().plus(START));
      news.touch(old.gang());
    }
    if (!preemption.stops().equals(old.stops()) || gone) {
      put(preemption);
    }
    if (!preemption.over()) {
      boolean late = ticking && gone && !now().isBefore(preemption.again());
      boolean forbidden = policies.preemption().mode() != Mode.ENFORCE && !preemption.evicting();
      boolean stopped = state.preemptions().by(preemption.gang()).isPresent();
      if (!state.waitsForRoom(preemption.gang())
          || late
          || forbidden
          || stopped
          || hasLostRoom(preemption.gang())) {
        state = calledOff(state, preemption, begun(preemption));
        Instant again = late ? now().plus(BARRED) : now(); // else it would stop them again
        state = state.with(state.preemptions().lookingAgain(preemption.gang(), again));
      }
    }
  }

  /// What was promised to a victim by which it was to grow is promised no more.
  private void growNoMore(GangId victim) {
    state
        .cluster()
        .reservations()
        .get(victim)
        .filter(held -> !held.releasing() && !held.promises().isEmpty())
        .ifPresent(
            held -> state = state.with(state.cluster().with(held.restingUntil(held.until()))));
  }

  /// Victims of which something is still in the way; once the preemption is over, those of which a
  /// member has not begun to leave: a pod that terminates for ever holds up nobody then.
  private SortedTable<GangId, Stop> still(Preemption preemption) {
    SortedTable<GangId, Stop> still = preemption.stops();
    for (Stop stop : preemption.stops()) {
      boolean there =
          state.cluster().members(stop.victim()).stream().anyMatch(m -> holds(m, preemption));
      still = there ? still : still.without(stop.victim().gang());
    }
    return still;
  }

  private static boolean holds(Member member, Preemption preemption) {
    return preemption.over() ? member.isBound() : member.node().isPresent();
  }

  private boolean hasLostRoom(GangId gang) {
    return state
        .cluster()
        .holds()
        .get(gang)
        .filter(Hold::isVacated)
        .filter(hold -> !StartPlans.isUnkeepable(state.cluster(), hold))
        .isEmpty();
  }

  /// The preemption is over; only these victims are still seen off, the others stay.
  static State calledOff(State state, Preemption preemption, SortedTable<GangId, Stop> begun) {
    Cluster cluster = state.cluster();
    boolean vacating = cluster.holds().get(preemption.gang()).filter(Hold::isVacated).isPresent();
    State left = vacating ? state.with(cluster.withoutHold(preemption.gang())) : state;
    return left.with(left.preemptions().with(preemption.calledOff(begun)));
  }
}
