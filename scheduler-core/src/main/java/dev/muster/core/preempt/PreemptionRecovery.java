package dev.muster.core.preempt;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Victim;
import dev.muster.core.node.Placement;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.Intervals;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.Preemption.Stop;
import dev.muster.core.state.Preemptions;
import dev.muster.core.state.State;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.VictimCandidate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Preemption recovery resumes the preemptions that an earlier process had begun.
///
/// **Goals.** Preemptions continue after a restart of Muster, and vacated capacity goes to the gang
/// for which it was vacated.
///
/// **Constraints.** The owner of a gang may have written anything on its object. So no gang is
/// preempted because of another gang's object alone. The victim's own object must name the
/// preemptor, and the present policy must permit the preemption as if it were decided now.
///
/// **Algorithm.** Before the first scheduling round, for each recorded preemption:
///
/// 1. Victims are checked again if their own object names the preemptor. A notice from before a
///    victim's pods ran is of an earlier preemption, and does not count. Leaving pods are waited
///    for, and running pods need a verdict of the policy. No victim is to leave in part, unless its
///    minimum stays.
/// 2. If the gang fits without the victims, its hold is restored. The preemption continues with the
///    evictions if they had begun, else with the full notice time.
/// 3. Otherwise it is cancelled. Only victims that have begun to leave still leave, the others are
///    reprieved, and the record is cleared.
///
/// **Example.** Two of four pods that leave for a gang are gone, and their controller has created
/// two new ones. The nodes of all four are held for the gang before the new pods are tried.
public final class PreemptionRecovery {
  private final Policies policies;
  private State state;

  private PreemptionRecovery(State state, Policies policies) {
    this.state = state;
    this.policies = policies;
  }

  /// Starts the first cycle from the recorded preemptions that the victims' own objects confirm.
  public static Cycle read(Cycle cycle) {
    return cycle.isFirst()
        ? cycle.startingFrom(recorded(cycle.before(), cycle.state().cluster()))
        : cycle;
  }

  private static State recorded(State before, Cluster facts) {
    State recorded = before;
    for (Gang gang : facts.gangs()) {
      SortedTable<GangId, Victim> victims =
          gang.spec().map(spec -> spec.preemption().victims()).orElse(SortedTable.empty());
      SortedTable<GangId, Stop> stops = SortedTable.empty();
      for (Victim victim : victims) {
        Optional<Stop> told = notified(victim, gang.id(), facts);
        stops = told.isPresent() ? stops.with(victim.gang(), told.get()) : stops;
      }
      if (!victims.isEmpty()) {
        Preemption found = Preemption.of(gang.id(), stops, facts.now());
        found = found.as(Written.DONE, facts.now());
        recorded = recorded.with(recorded.preemptions().with(found));
      }
    }
    return recorded;
  }

  private static Optional<Stop> notified(Victim victim, GangId by, Cluster facts) {
    PreemptionRecord said =
        facts.gang(victim.gang()).spec().map(GangSpec::preemption).orElse(PreemptionRecord.NONE);
    List<Instant> times = said.stopped();
    Instant asked = times.isEmpty() ? facts.now() : times.getLast();
    boolean earlier =
        facts.members(victim).stream()
            .anyMatch(member ->
                member.state() instanceof MemberState.Bound(_, Instant since)
                    && since.isAfter(asked));
    return said.notice()
        .filter(notice -> notice.by().equals(by) && !earlier)
        .map(notice -> Stop.notified(victim, asked, notice.deadline().orElse(asked)));
  }

  /// Resumes or cancels the recorded preemptions in the first cycle.
  public static Cycle resume(Cycle cycle) {
    if (!cycle.isFirst()) {
      return cycle;
    }
    PreemptionRecovery work = new PreemptionRecovery(cycle.state(), cycle.policies());
    cycle.state().preemptions().underWay().forEach(work::takeUp);
    Preemptions taken = work.state.preemptions();
    return cycle.with(work.state.with(taken.recovered(work.state.cluster())));
  }

  private void takeUp(Preemption recorded) {
    PreemptingGang preemptor = PreemptingGang.of(state, policies, recorded);
    Instant now = state.cluster().now();
    boolean evicting = isEvicting(recorded);
    SortedTable<GangId, Stop> stops = SortedTable.empty();
    SortedTable<GangId, Stop> begun = SortedTable.empty();
    for (Stop told : recorded.stops()) {
      GangId victim = told.victim().gang();
      Optional<Stop> again = again(preemptor, told);
      if (again.isPresent()) {
        boolean left = evicting && told.hasBegun(state.cluster());
        Stop stop = left ? again.get().evicting(now) : again.get();
        stops = stops.with(victim, stop);
        begun = left ? begun.with(victim, stop) : begun;
      }
    }
    Preemption found = recorded.with(stops);
    found = evicting ? found.evictingAgain(now) : found;
    boolean gone = haveLeft(recorded);
    found = gone ? found.as(found.recorded(), now.plus(Intervals.START)) : found;
    Optional<Placement> placement =
        stops.isEmpty() && !gone ? Optional.empty() : placed(preemptor, stops);
    if (placement.isPresent()) {
      state = state.with(state.cluster().with(preemptor.hold(placement.get(), stops)));
      state = state.with(state.preemptions().with(found));
    } else {
      state = state.with(state.preemptions().with(found.calledOff(begun)));
    }
  }

  /// True if all victims have left, so that their capacity is free for the preemptor.
  private boolean haveLeft(Preemption recorded) {
    return policies.preemption().mode() == Mode.ENFORCE
        && !recorded.stops().isEmpty()
        && !recorded.stops().any(stop -> !there(stop).isEmpty());
  }

  private List<Member> there(Stop stop) {
    return state.cluster().members(stop.victim()).stream()
        .filter(member -> member.node().isPresent())
        .toList();
  }

  /// True if the notice time of all victims is over and some of them have begun to leave.
  private boolean isEvicting(Preemption recorded) {
    Instant now = state.cluster().now();
    return recorded.stops().any(stop -> stop.hasBegun(state.cluster()))
        && !recorded.stops().any(stop -> stop.deadline().filter(now::isBefore).isPresent());
  }

  /// Returns the victim as it must leave from now on; empty when it is gone or stays.
  private Optional<Stop> again(PreemptingGang preemptor, Stop told) {
    boolean enforced = policies.preemption().mode() == Mode.ENFORCE;
    List<Member> there = there(told);
    List<Member> bound = there.stream().filter(Member::isBound).toList();
    if (there.isEmpty() || !enforced) {
      return Optional.empty();
    }
    if (bound.isEmpty()) {
      return Optional.of(told);
    }
    return leavesPart(told.victim().gang(), bound.size())
        ? Optional.empty()
        : preemptor.eligibility().again(told, bound).map(ruled -> stop(told, ruled));
  }

  /// True if some members of the gang would stay that are too few to run.
  private boolean leavesPart(GangId victim, int leaving) {
    Gang gang = state.cluster().gang(victim);
    int staying = gang.boundCount() - leaving;
    return staying > 0 && staying + gang.succeededCount() < gang.minCount();
  }

  /// Returns the victim under the present rule. It keeps the recorded members, since some may be
  /// leaving.
  private static Stop stop(Stop told, VictimCandidate ruled) {
    Victim now = ruled.victim();
    Victim victim =
        new Victim(now.gang(), told.victim().members(), now.rule(), told.victim().lostWork());
    return Stop.of(ruled).restarted(victim, told);
  }

  /// Returns a placement of the gang without the victims; empty when it already has its places.
  private Optional<Placement> placed(PreemptingGang preemptor, SortedTable<GangId, Stop> stops) {
    boolean placed = state.cluster().reservations().contains(preemptor.gang().id());
    if (placed || preemptor.members().isEmpty()) {
      return Optional.empty();
    }
    Cluster left = preemptor.image();
    for (Stop stop : stops) {
      left = WhatIf.without(left, stop.victim().gang(), stop.victim().members().asList());
    }
    return preemptor.place(left) instanceof SearchResult.Found(Placement placement, _, _)
        ? Optional.of(placement)
        : Optional.empty();
  }
}
