package dev.muster.core.preempt;

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
import java.util.List;
import java.util.Optional;

/// Which running gangs, or spare members of them, may be stopped for a gang or pod that asks for
/// room: the order of the engine, then what the policy says.
///
/// @param state the state
/// @param policies the configuration
/// @param subject for whom
/// @param subjects the others as the policy sees them
record VictimEligibility(State state, Policies policies, GangProfile profile, GangProfiles profiles) {
  /// Who of this running gang may leave, and at what price: nobody, its spare members, all of it,
  /// or either. Spare members come first.
  List<VictimCandidate> candidates(GangId running) {
    Gang other = state.cluster().gang(running);
    if (isAbove(other) || !mayBeAsked(other)) {
      return List.of();
    }
    List<Member> bound = other.bound();
    int least = Math.max(1, other.minCount() - other.succeededCount()); // the last is never spare
    List<VictimCandidate> candidates = new ArrayList<>();
    if (least < bound.size()) {
      bound.sort(Member.BY_RANK);
      List<Member> spare = bound.subList(least, bound.size());
      candidate(profiles.running(other, spare), spare, true).ifPresent(candidates::add);
    }
    candidate(profiles.running(other, bound), bound, false).ifPresent(candidates::add);
    return candidates;
  }

  /// What is to be said of these running members of a victim that was told already, if it may still
  /// be stopped.
  Optional<VictimCandidate> again(Preemption.Stop told, List<Member> running) {
    Gang other = state.cluster().gang(told.victim().gang());
    return isStarting(other) ? Optional.empty() : ruled(told, running);
  }

  /// The same, whether or not it lacks members meanwhile; that it was told does not count as a stop
  /// before.
  Optional<VictimCandidate> ruled(Preemption.Stop told, List<Member> running) {
    GangProfile victim = profiles.running(state.cluster().gang(told.victim().gang()), running);
    return candidate(told.asked().map(victim::stoppedBefore).orElse(victim), running, false);
  }

  /// Whether priorities alone say that it stays ([GangProfiles#mayStop]): then nothing else is worked
  /// out.
  private boolean isAbove(Gang other) {
    return profile.borrows() && policies.priority(other) >= profile.priority();
  }

  /// A gang that is starting, or that is already being stopped, is left alone; unless it is to be
  /// stopped for a gang of lower priority, and that has not begun. So is one for which others have
  /// begun to leave, until all of them have: else some might stay of which it is taken that they
  /// go.
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

  /// Whether the gang has yet to become whole, or is being released. One that has its minimum and
  /// was promised room to grow may be asked: pods of it that never start protect nobody.
  private boolean isStarting(Gang gang) {
    return state
        .cluster()
        .reservations()
        .get(gang.id())
        .filter(held -> held.releasing() || !PendingMembers.isWhole(gang))
        .isPresent();
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

  /// Members that an elastic gang gives back stop nobody: they cost nothing.
  private Optional<VictimCandidate> candidate(GangProfile victim, List<Member> leaving, boolean spare) {
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
