package dev.muster.core.engine;

import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Gang;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;

/// Takes one [Turn]: all gangs whose turn it is are tried in the policy's order, one after the
/// other; the next one sees the reservation just made.
final class Round {
  private final Policies policies;
  private final Turn turn;
  private final PriorityQueue<Lined> queue = new PriorityQueue<>();
  private final Set<GangId> lined = new LinkedHashSet<>();
  private final TreeSet<GangId> tried = new TreeSet<>();
  private final List<Decision> decisions = new ArrayList<>();
  private final UsableRoom.Images images = new UsableRoom.Images();
  private State state;
  private Turn again = Turn.NOBODYS;

  private Round(Turn turn, State state, Policies policies) {
    this.policies = policies;
    this.turn = turn;
    this.state =
        turn.outdated().isEmpty() ? state : state.with(state.waiting().doubting(turn.outdated()));
  }

  /// What a turn comes to.
  ///
  /// @param after the state after it
  /// @param decisions what was decided, in order
  /// @param tried the gangs that were tried
  /// @param next the turn of those that wait for room which this one gave back
  record Taken(State after, List<Decision> decisions, NavigableSet<GangId> tried, Turn next) {
    /// Both, the later one last.
    private Taken and(Taken later) {
      List<Decision> both = new ArrayList<>(decisions);
      both.addAll(later.decisions);
      TreeSet<GangId> gangs = new TreeSet<>(tried);
      gangs.addAll(later.tried);
      return new Taken(later.after, both, gangs, later.next);
    }
  }

  /// A gang in line.
  ///
  /// @param rank where it stood when it was lined up
  /// @param woken the class that it was woken with; empty where it is to be tried whatever it waits
  ///   for
  private record Lined(Rank rank, Optional<WaitClass> woken) implements Comparable<Lined> {
    @Override
    public int compareTo(Lined other) {
      return rank.compareTo(other.rank);
    }
  }

  /// Turn after turn, until nobody has one: the state after the last, all decisions, and all tried.
  static Taken all(Turn turn, State state, Policies policies) {
    Taken all =
        turn.isEmpty()
            ? new Taken(state, List.of(), Collections.emptyNavigableSet(), turn)
            : take(turn, state, policies);
    while (!all.next().isEmpty()) {
      all = all.and(take(all.next(), all.after(), policies));
    }
    return all;
  }

  private static Taken take(Turn turn, State state, Policies policies) {
    Round round = new Round(turn, state, policies);
    if (turn.isOfOne()) {
      round.only(turn.own().first());
    } else {
      turn.own().forEach(round::line);
      turn.classes().forEach(round::lineFirst);
      round.run();
    }
    round.wake(state);
    return new Taken(round.state, round.decisions, round.tried, round.again);
  }

  /// Most turns are one gang's: it comes first whatever its rank.
  private void only(GangId gang) {
    if (state.cluster().gangs().contains(gang)) {
      attempt(gang);
    } else {
      forget(gang);
    }
  }

  private void line(GangId gang) {
    if (lined.add(gang)) {
      state
          .cluster()
          .gangs()
          .get(gang)
          .ifPresentOrElse(
              seen -> queue.add(new Lined(rank(seen), Optional.empty())), () -> forget(gang));
    }
  }

  private Rank rank(Gang gang) {
    return policies.order().rank(state.cluster(), gang);
  }

  private void lineFirst(WaitClass.Key key) {
    state.waiting().classes().get(key).ifPresent(this::lineFirst);
  }

  /// Many classes are woken at once and few of their gangs are tried: the rank is what the class
  /// knows, without a look at the gang.
  private void lineFirst(WaitClass waits) {
    for (WaitClass.Age age : waits.gangs().keys()) {
      if (lined.add(age.gang())) {
        WaitClass.Key key = waits.key();
        long share = policies.order().share(state.cluster(), key.queue());
        Rank rank = new Rank(key.priority(), share, age.createdAt(), age.gang());
        queue.add(new Lined(rank, Optional.of(waits)));
        return;
      }
    }
  }

  /// Of a gang of which nothing is left nothing is said any more.
  private void forget(GangId gang) {
    state = state.settled(gang);
    tried.add(gang);
  }

  private void run() {
    while (!queue.isEmpty()) {
      Lined next = queue.remove();
      if (next.woken().filter(waits -> !turn.helps(waits, state.cluster())).isPresent()) {
        continue; // most of those that were woken: others have taken the room
      }
      GangId gang = next.rank().gang();
      Rank now = rank(state.cluster().gang(gang));
      if (now.compareTo(next.rank()) > 0) {
        queue.add(new Lined(now, next.woken())); // its queue was just given something
      } else {
        attempt(gang);
      }
    }
  }

  private void attempt(GangId gang) {
    State before = state;
    Optional<WaitClass> waited = before.waiting().classOf(gang);
    Attempt attempt =
        Attempt.of(gang, before, policies, key -> !turn.classes().contains(key), images);
    tried.add(gang);
    state = attempt.after();
    if (mayGiveBack(before, gang) || changesClaims(before, state)) {
      wake(before);
    }
    attempt.decision().ifPresent(decisions::add);
    if (attempt.isAdmitted()) {
      waited.map(WaitClass::key).filter(turn.classes()::contains).ifPresent(this::lineFirst);
    }
  }

  /// Only a gang that holds something can give room back, to those that were tried before it, too.
  private static boolean mayGiveBack(State before, GangId gang) {
    return before.cluster().reservations().contains(gang)
        || before.cluster().holds().contains(gang);
  }

  /// Who starts, or has no hope any more, claims less of what its queue is guaranteed, and that may
  /// open a model to those that were tried before it, though less is free than at the beginning.
  @SuppressWarnings("ReferenceEquality") // accounts that nothing touched are the same object
  private boolean changesClaims(State before, State after) {
    return !policies.quota().isOpen()
        && before.cluster().books().accounts() != after.cluster().books().accounts();
  }

  private void wake(State before) {
    Turn more = Turn.again(before, state, policies.quota());
    again = more.isEmpty() ? again : again.and(more);
  }
}
