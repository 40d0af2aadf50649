package dev.muster.core.preempt;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.decision.StartFailureText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Victim;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Intervals;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.Preemption.Stop;
import dev.muster.core.state.ReviewBaseline;
import dev.muster.core.state.State;
import dev.muster.core.upkeep.HoldCheck;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.VictimCandidate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/// Preemption upkeep carries preemptions on, one step for each event.
///
/// It notes results of requests, and cancels plans that are no longer needed or cannot succeed any
/// more. [VictimEffectWriter] requests the next effects.
///
/// The cost of an event depends on its changes. Only preemptions with changed inputs are reviewed
/// ([ReviewBaseline]), and all of them at every tick.
public final class PreemptionUpkeep {
  /// The time to the next try after a failed request.
  private static final Duration RETRY = Duration.ofSeconds(5);

  /// The time after which a victim stays that has begun to leave when its eviction is forbidden.
  private static final Duration HALF_GONE = Duration.ofSeconds(30);

  private final Policies policies;
  private final CycleResult result;
  private final Event event;
  private State state;

  private PreemptionUpkeep(Cycle cycle) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.event = cycle.event();
    this.state = cycle.state();
  }

  /// Updates preemptions by the facts, and touches gangs with vacated capacity. In the first cycle
  /// they are reviewed later: see [#reviewRecovered].
  public static Cycle run(Cycle cycle) {
    return cycle.isFirst() ? cycle : reviewed(cycle);
  }

  /// Cancels recovered preemptions of gangs that got or lost a place in the first scheduling round.
  public static Cycle reviewRecovered(Cycle cycle) {
    return cycle.isFirst() ? reviewed(cycle) : cycle;
  }

  private static Cycle reviewed(Cycle cycle) {
    State before = cycle.state();
    if (before.preemptions().underWay().isEmpty()) {
      return cycle;
    }
    PreemptionUpkeep work = new PreemptionUpkeep(cycle);
    work.take();
    return cycle.with(work.state.with(work.state.preemptions().with(baseline(before))));
  }

  private static ReviewBaseline baseline(State state) {
    return new ReviewBaseline(state.cluster(), state.waiting(), state.preemptions().underWay());
  }

  private void take() {
    if (event instanceof Event.Outcome outcome) {
      onAcknowledged(outcome);
    }
    if (event instanceof Event.PolicyChanged && policies.preemption().mode() == Mode.ENFORCE) {
      state.preemptions().underWay().forEach(this::judgeAnew);
    }
    if (event instanceof Event.OfGang said
        && said.facts().stream().anyMatch(Event.GangSeen.class::isInstance)) {
      underWay(said.gang()).ifPresent(this::standAgain);
      state.preemptions().by(said.gang()).ifPresent(this::standAgain);
    }
    for (GangId gang : state.preemptions().due(event, state.cluster(), state.waiting())) {
      underWay(gang).ifPresent(this::review);
    }
  }

  private Instant now() {
    return state.cluster().now();
  }

  private void put(Preemption preemption) {
    state = state.with(state.preemptions().with(preemption));
  }

  // ---- Results of requests ----

  private void onAcknowledged(Event.Outcome outcome) {
    switch (outcome) {
      case Event.VictimsRecorded(_, GangId gang) ->
          underWay(gang)
              .filter(p -> p.recorded() == Written.ASKED)
              .ifPresent(p -> put(p.as(Written.DONE, now())));
      case Event.VictimsNotRecorded(_, GangId gang, String problem, var refusal) ->
          underWay(gang)
              .filter(p -> p.recorded() == Written.ASKED)
              .ifPresent(p -> notRecorded(p, problem, refusal.isPresent()));
      case Event.VictimTold(_, GangId gang) ->
          state.preemptions().by(gang).ifPresent(p -> put(notified(p, gang)));
      case Event.MemberNotEvicted(_, GangId gang, _, boolean forbidden, _) ->
          state.preemptions().by(gang).ifPresent(p -> notEvicted(p, gang, forbidden));
      case Event.ReservationWritten _,
          Event.ReservationNotWritten _,
          Event.MemberStarted _,
          Event.MemberNotStarted _,
          Event.StartDelayed _ -> {}
    }
  }

  /// Tries the record again, or cancels the preemption if the gang's object refuses it. The gang
  /// could not start without a record anyway, so no other gang leaves for it.
  private void notRecorded(Preemption preemption, String problem, boolean lasting) {
    if (!lasting || preemption.evicting()) {
      put(preemption.as(Written.NOT_YET, now().plus(RETRY)));
      return;
    }
    GangId gang = preemption.gang();
    Instant again = now().plus(Intervals.UNRECORDABLE);
    state = state.callingOff(preemption, SortedTable.empty());
    state = state.with(state.preemptions().lookingAgain(gang, again));
    Veto refused = new Veto.RecordRefused(problem, again.truncatedTo(ChronoUnit.SECONDS));
    result.touch(gang);
    result.add(
        new Effect.Report(
            gang, Optional.empty(), ReasonText.token(refused), ReasonText.sentence(refused)));
  }

  private Optional<Preemption> underWay(GangId gang) {
    return state.preemptions().underWay().get(gang);
  }

  /// Notes that the victim is notified. A notification by an earlier plan does not count for this
  /// one.
  private static Preemption notified(Preemption preemption, GangId victim) {
    Stop stop = preemption.stops().get(victim).orElseThrow();
    return stop.deadline().isEmpty()
        ? preemption
        : preemption.with(preemption.stops().with(victim, stop.acknowledged()));
  }

  /// Notes that a pod could not be evicted.
  ///
  /// If it is forbidden, the preemption is cancelled before other gangs leave needlessly, and new
  /// victims are searched. If some of the victim's pods have begun to leave, the others are tried
  /// for 30 s, since budgets change. After that they stay, and the gang may replace the lost pods.
  ///
  /// @param forbidden as in [Event.MemberNotEvicted]
  private void notEvicted(Preemption preemption, GangId victim, boolean forbidden) {
    Stop stop = preemption.stops().get(victim).orElseThrow();
    boolean young = stop.evictedAt().filter(at -> now().isBefore(at.plus(HALF_GONE))).isPresent();
    if (forbidden && !(young && stop.hasBegun(state.cluster()))) {
      state = state.callingOff(preemption, preemption.begun().without(victim));
      state =
          state.with(state.preemptions().pacing().barring(victim, now().plus(Intervals.BARRED)));
      state = state.with(state.preemptions().lookingAgain(preemption.gang(), now()));
    } else {
      put(preemption.as(preemption.recorded(), now().plus(RETRY)));
    }
  }

  // ---- Changes of policy and priority ----

  /// Cancels a preemption if a victim no longer comes after the gang by the present priorities. No
  /// victim may have begun to leave.
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
    boolean reclaims =
        state
            .cluster()
            .holds()
            .get(preemptor)
            .filter(hold -> hold.kind() == Hold.Kind.RECLAIMING)
            .isPresent();
    GangProfiles profiles = new GangProfiles(state, policies);
    List<Member> members = PendingMembers.needed(state.cluster(), gang);
    return !GangProfiles.mayStop(
        profiles.asking(gang, members, !reclaims), profiles.running(other, other.bound()));
  }

  private void callOff(Preemption preemption) {
    state = state.callingOff(preemption, SortedTable.empty());
    state = state.with(state.preemptions().lookingAgain(preemption.gang(), now()));
  }

  /// Checks the victims again after a change of the policy. No victim may have begun to leave. A
  /// notice time that was sent remains.
  private void judgeAnew(Preemption preemption) {
    if (preemption.evicting() || preemption.over()) {
      return;
    }
    PreemptingGang preemptor = PreemptingGang.of(state, policies, preemption);
    SortedTable<GangId, Stop> stops = preemption.stops();
    for (Stop stop : preemption.stops()) {
      List<Member> bound = bound(stop.victim());
      Optional<VictimCandidate> ruled = preemptor.eligibility().ruled(stop, bound);
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

  // ---- Review ----

  private void review(Preemption old) {
    List<Member> overdue = OverduePods.of(state.cluster(), old);
    if (event instanceof Event.Tick && !old.over() && !overdue.isEmpty()) {
      giveUp(old, overdue);
      return;
    }
    if (old.evicting()) {
      old.stops().keys().forEach(this::growNoMore);
    }
    Preemption preemption = old.with(still(old));
    boolean gone = preemption.stops().isEmpty();
    if (gone && !old.stops().isEmpty()) {
      preemption = preemption.as(preemption.recorded(), now().plus(Intervals.START));
      result.touch(old.gang());
    }
    if (!preemption.stops().equals(old.stops()) || gone) {
      put(preemption);
    }
    if (!preemption.over()) {
      boolean late = event instanceof Event.Tick && gone && !now().isBefore(preemption.again());
      boolean forbidden = policies.preemption().mode() != Mode.ENFORCE && !preemption.evicting();
      boolean stopped = state.preemptions().by(preemption.gang()).isPresent();
      if (!state.waitsForVictims(preemption.gang())
          || late
          || forbidden
          || stopped
          || hasLostRoom(preemption.gang())) {
        state = state.callingOff(preemption, preemption.begun());
        Instant again =
            late ? now().plus(Intervals.BARRED) : now(); // a search now would choose them again
        state = state.with(state.preemptions().lookingAgain(preemption.gang(), again));
      }
    }
  }

  /// Cancels a preemption whose victims do not end. Other victims are searched at once, and the
  /// overdue pods count as staying. A victim without bound pods is not chosen again, so this is
  /// repeated only for other victims.
  private void giveUp(Preemption preemption, List<Member> overdue) {
    state = state.callingOff(preemption, preemption.begun());
    state = state.with(state.preemptions().lookingAgain(preemption.gang(), now()));
    result.touch(preemption.gang());
    result.add(
        new Effect.Report(
            preemption.gang(),
            Optional.empty(),
            "VictimsDoNotEnd",
            StartFailureText.notEnding(overdue)));
  }

  /// Drops the promises by which a victim was to grow.
  private void growNoMore(GangId victim) {
    state
        .cluster()
        .reservations()
        .get(victim)
        .filter(held -> !held.releasing() && !held.promises().isEmpty())
        .ifPresent(
            held -> state = state.with(state.cluster().with(held.restingUntil(held.until()))));
  }

  /// Returns the victims that still use capacity. Once the preemption is over, only members that
  /// have not begun to leave count: a pod that terminates without end then delays no gang.
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
        .filter(hold -> !HoldCheck.isUnkeepable(state.cluster(), hold))
        .isEmpty();
  }
}
