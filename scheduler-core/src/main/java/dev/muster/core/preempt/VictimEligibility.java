package dev.muster.core.preempt;

import dev.muster.core.admission.GuaranteeUse;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.VictimCandidate;
import dev.muster.core.victims.VictimCost;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// Victim eligibility states which running gangs, or spare members, may be preempted for a gang or
/// pod.
///
/// The engine's order is checked first, then the policy.
///
/// @param state the state
/// @param policies the configuration
/// @param profile the preemptor
/// @param profiles the other gangs as the policy sees them
/// @param grows true if the preemptor has its minimum; then only borrowed GPUs of other queues
///   leave
record VictimEligibility(
    State state, Policies policies, GangProfile profile, GangProfiles profiles, boolean grows) {
  /// Returns the candidates of this running gang with their cost: its spare members, the whole
  /// gang, both or neither. Spare members come first.
  List<VictimCandidate> candidates(GangId running) {
    Gang other = state.cluster().gang(running);
    if (isAbove(other) || !mayBeAsked(other)) {
      return List.of();
    }
    List<Member> bound = other.bound();
    int least = Math.max(1, other.minCount() - other.succeededCount()); // one member always stays
    List<VictimCandidate> candidates = new ArrayList<>();
    if (least < bound.size()) {
      bound.sort(Member.BY_RANK);
      List<Member> spare = bound.subList(least, bound.size());
      candidate(profiles.running(other, spare), spare, true).ifPresent(candidates::add);
    }
    candidate(profiles.running(other, bound), bound, false).ifPresent(candidates::add);
    return candidates;
  }

  /// Returns the GPUs by which queues fall below their guarantees when these victims leave
  /// together; empty if they may not.
  ///
  /// Each victim of another queue leaves while that queue uses more than its guarantee.
  ///
  /// - Gangs of its own queue that leave for the preemptor make place in its guarantee.
  /// - A gang that borrows takes no queue below its guarantee, if one of the gangs that wait in it
  ///   then could get the GPUs back.
  OptionalInt shortfall(Collection<VictimCandidate> victims) {
    GuaranteeUse guarantees = profiles.guarantees();
    int shortfall = guarantees.shortfall(victims, profile.queue());
    boolean takes =
        profile.borrows()
            ? shortfall == 0 || !guarantees.areReclaimable(others(victims))
            : isCovered(victims);
    return others(victims).isEmpty() || (takes && guarantees.lends(victims, profile.queue()))
        ? OptionalInt.of(shortfall)
        : OptionalInt.empty();
  }

  private List<VictimCandidate> others(Collection<VictimCandidate> victims) {
    return victims.stream().filter(victim -> !profile.isIn(victim.profile().queue())).toList();
  }

  /// True if the queue of the preemptor uses no more than its guarantee after the victims have
  /// left.
  private boolean isCovered(Collection<VictimCandidate> victims) {
    GuaranteeUse guarantees = profiles.guarantees();
    Gang gang = state.cluster().gang(profile.gang());
    return guarantees.covers(gang, profile.gpus(), guarantees.leaving(victims, profile.queue()));
  }

  /// Returns the present verdict on these running members of a notified victim; empty when they
  /// must stay.
  Optional<VictimCandidate> again(Preemption.Stop told, List<Member> running) {
    Gang other = state.cluster().gang(told.victim().gang());
    return isStarting(other) ? Optional.empty() : ruled(told, running);
  }

  /// Returns the verdict also for a victim that lacks members by now. Its notification does not
  /// count as an earlier preemption.
  Optional<VictimCandidate> ruled(Preemption.Stop told, List<Member> running) {
    GangProfile victim = profiles.running(state.cluster().gang(told.victim().gang()), running);
    return candidate(told.asked().map(victim::stoppedBefore).orElse(victim), running, false);
  }

  /// True if priorities alone protect the gang ([GangProfiles#mayStop]), so that no further check
  /// is needed.
  private boolean isAbove(Gang other) {
    boolean own = profile.isIn(other.queue());
    return (own && grows)
        || ((own || profile.borrows()) && policies.priority(other) >= profile.priority());
  }

  /// True if the gang may be considered as a victim.
  ///
  /// - A gang that is starting may not.
  /// - A gang that is already a victim may only if its preemptor has a lower priority and has not
  ///   begun to evict.
  /// - A gang with victims that have begun to leave may not, until all of them have. Otherwise some
  ///   could stay that its plan assumes gone.
  private boolean mayBeAsked(Gang other) {
    if (other.boundCount() == 0
        || other.id().equals(profile.gang())
        || isStarting(other)
        || isStopping(other)
        || state.preemptions().pacing().barred().contains(other.id())) {
      return false;
    }
    return state
        .preemptions()
        .by(other.id())
        .map(preemption -> !preemption.evicting() && outranks(preemption.gang()))
        .orElse(true);
  }

  /// True if the gang starts for the first time and does not have its minimum yet.
  ///
  /// No other reservation protects a gang, as its owner can keep it up: with pods that are never
  /// bound, or with a disruption budget that forbids the eviction of a released gang.
  private boolean isStarting(Gang gang) {
    return state
        .cluster()
        .reservations()
        .contains(
            gang.id(), held -> !held.ran() && !held.releasing() && !PendingMembers.isWhole(gang));
  }

  private boolean isStopping(Gang gang) {
    return state
        .preemptions()
        .underWay()
        .get(gang.id())
        .filter(preemption -> preemption.evicting() && !preemption.over())
        .filter(preemption -> preemption.stops().any(stop -> stop.evictedAt().isEmpty()))
        .isPresent();
  }

  private boolean outranks(GangId preemptor) {
    return profile.priority() > policies.priority(state.cluster().gang(preemptor));
  }

  /// Returns the members as a candidate if the order and the policy permit it. Spare members end no
  /// gang, so they cost nothing.
  private Optional<VictimCandidate> candidate(
      GangProfile victim, List<Member> leaving, boolean spare) {
    if (!GangProfiles.mayStop(profile, victim)
        || !(policies.preemption().verdict(profile, victim, state.cluster().now())
            instanceof PolicyVerdict.Allowed ruling)) {
      return Optional.empty();
    }
    List<CostTerm> terms = policies.preemption().terms();
    List<Long> amounts = spare ? terms.stream().map(_ -> 0L).toList() : ruling.price();
    return Optional.of(
        new VictimCandidate(
            victim,
            leaving.stream().map(Member::id).toList(),
            ruling,
            new VictimCost(terms, amounts),
            spare));
  }
}
