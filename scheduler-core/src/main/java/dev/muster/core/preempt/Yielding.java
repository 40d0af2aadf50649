package dev.muster.core.preempt;

import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import dev.muster.core.state.Wanting;
import dev.muster.core.victims.Candidate;
import dev.muster.core.victims.Price;
import dev.muster.core.victims.Ruling;
import dev.muster.core.victims.Subject;
import dev.muster.core.victims.Term;
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
record Yielding(State state, Policies policies, Subject subject, Subjects subjects) {
  /// Who of this running gang may leave, and at what price: nobody, its spare members, all of it,
  /// or either. Spare members come first.
  List<Candidate> candidates(GangId running) {
    Gang other = state.cluster().gang(running);
    if (isAbove(other) || !mayBeAsked(other)) {
      return List.of();
    }
    List<Member> bound = other.bound();
    int least = Math.max(1, other.minCount() - other.succeededCount()); // the last is never spare
    List<Candidate> candidates = new ArrayList<>();
    if (least < bound.size()) {
      bound.sort(Member.BY_RANK);
      List<Member> spare = bound.subList(least, bound.size());
      candidate(subjects.running(other, spare), spare, true).ifPresent(candidates::add);
    }
    candidate(subjects.running(other, bound), bound, false).ifPresent(candidates::add);
    return candidates;
  }

  /// What is to be said of these running members of a victim that was told already, if it may still
  /// be stopped.
  Optional<Candidate> again(Preemption.Stop told, List<Member> running) {
    Gang other = state.cluster().gang(told.victim().gang());
    return isStarting(other) ? Optional.empty() : ruled(told, running);
  }

  /// The same, whether or not it lacks members meanwhile; that it was told does not count as a stop
  /// before.
  Optional<Candidate> ruled(Preemption.Stop told, List<Member> running) {
    Subject victim = subjects.running(state.cluster().gang(told.victim().gang()), running);
    return candidate(told.asked().map(victim::stoppedBefore).orElse(victim), running, false);
  }

  /// Whether priorities alone say that it stays ([Subjects#mayStop]): then nothing else is worked
  /// out.
  private boolean isAbove(Gang other) {
    return subject.borrows() && policies.priority(other) >= subject.priority();
  }

  /// A gang that is starting, or that is already being stopped, is left alone; unless it is to be
  /// stopped for a gang of lower priority, and that has not begun. So is one for which others have
  /// begun to leave, until all of them have: else some might stay of which it is taken that they
  /// go.
  private boolean mayBeAsked(Gang other) {
    if (other.boundCount() == 0
        || other.id().equals(subject.gang())
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
        .filter(held -> held.releasing() || !Wanting.isWhole(gang))
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
    return subject.priority() > policies.priority(state.cluster().gang(preemptor));
  }

  /// Members that an elastic gang gives back stop nobody: they cost nothing.
  private Optional<Candidate> candidate(Subject victim, List<Member> leaving, boolean spare) {
    if (!Subjects.mayStop(subject, victim)
        || !(policies.preemption().ruling(subject, victim, state.cluster().now())
            instanceof Ruling.Allowed ruling)) {
      return Optional.empty();
    }
    List<Term> terms = policies.preemption().terms();
    List<Long> amounts = spare ? terms.stream().map(_ -> 0L).toList() : ruling.price();
    return Optional.of(
        new Candidate(
            victim,
            leaving.stream().map(Member::id).toList(),
            ruling,
            new Price(terms, amounts),
            spare));
  }
}
