package dev.muster.core.engine;

import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Gang;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeSet;

/// Takes one turn: all gangs whose turn it is are tried in the policy's order, one after the other;
/// the next one sees the reservation just made.
final class Round {
  private final Policies policies;
  private final Turn turn;
  private final PriorityQueue<Rank> queue = new PriorityQueue<>();
  private final TreeSet<GangId> lined = new TreeSet<>();
  private final TreeSet<GangId> tried = new TreeSet<>();
  private final List<Decision> decisions = new ArrayList<>();
  private State state;
  private Turn next = Turn.NOBODYS;

  private Round(Turn turn, State state, Policies policies) {
    this.policies = policies;
    this.turn = turn;
    this.state = state.with(state.waiting().doubting(turn.outdated()));
  }

  /// What a turn comes to.
  ///
  /// @param after the state after it
  /// @param decisions what was decided, in order
  /// @param tried the gangs that were tried
  /// @param next the turn of those that wait for room which this one gave back
  record Taken(State after, List<Decision> decisions, NavigableSet<GangId> tried, Turn next) {}

  static Taken take(Turn turn, State state, Policies policies) {
    Round round = new Round(turn, state, policies);
    turn.own().forEach(round::line);
    turn.classes().forEach(round::lineFirst);
    round.run();
    round.wake(state);
    return new Taken(round.state, round.decisions, round.tried, round.next);
  }

  private void line(GangId gang) {
    if (lined.add(gang)) {
      state
          .cluster()
          .gangs()
          .get(gang)
          .ifPresentOrElse(seen -> queue.add(rank(seen)), () -> forget(gang));
    }
  }

  private Rank rank(Gang gang) {
    return policies.order().rank(state.cluster(), gang);
  }

  private void lineFirst(WaitClass.Key key) {
    state
        .waiting()
        .classes()
        .get(key)
        .flatMap(waits -> waits.gangs().first(gang -> !lined.contains(gang)))
        .ifPresent(this::line);
  }

  /// Of a gang of which nothing is left nothing is said any more.
  private void forget(GangId gang) {
    state = state.settled(gang);
    tried.add(gang);
  }

  private void run() {
    while (!queue.isEmpty()) {
      Rank rank = queue.remove();
      GangId gang = rank.gang();
      Rank now = rank(state.cluster().gang(gang));
      if (now.compareTo(rank) > 0) {
        queue.add(now); // its queue was just given something
        continue;
      }
      Optional<WaitClass> waited = state.waiting().classOf(gang);
      if (!turn.own().contains(gang) && waited.filter(this::mayFit).isEmpty()) {
        continue;
      }
      tried.add(gang);
      Attempt attempt = Attempt.of(gang, state, policies, key -> !turn.classes().contains(key));
      State before = state;
      state = attempt.after();
      if (mayGiveBack(before, gang)) {
        wake(before);
      }
      attempt.decision().ifPresent(decisions::add);
      if (attempt.isAdmitted()) {
        waited.map(WaitClass::key).filter(turn.classes()::contains).ifPresent(this::lineFirst);
      }
    }
  }

  /// Only a gang that holds something can give room back, to those that were tried before it, too.
  private static boolean mayGiveBack(State before, GangId gang) {
    return before.cluster().reservations().contains(gang)
        || before.cluster().holds().contains(gang);
  }

  private void wake(State before) {
    next = next.and(Turn.again(before, state, policies.quota()));
  }

  private boolean mayFit(WaitClass waited) {
    return turn.helps(waited, state.cluster());
  }
}
