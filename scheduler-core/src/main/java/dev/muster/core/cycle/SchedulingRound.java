package dev.muster.core.cycle;

import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/// Takes one [WakeSet]: all gangs whose turn it is are tried in the policy's order, one after the
/// other; the next one sees the reservation just made.
public final class SchedulingRound {
  private final Policies policies;
  private final CycleResult result;
  private final WakeSet turn;
  private final PriorityQueue<Lined> queue = new PriorityQueue<>();
  private final Set<GangId> lined = new LinkedHashSet<>();
  private final VisibleCapacity.Images images = new VisibleCapacity.Images();
  private State state;
  private WakeSet again = WakeSet.NOBODYS;

  private SchedulingRound(WakeSet turn, State state, Cycle cycle) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.turn = turn;
    this.state =
        turn.outdated().isEmpty() ? state : state.with(state.waiting().doubting(turn.outdated()));
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

  /// The cycle after all gangs were tried that the event may have given a chance.
  public static Cycle run(Cycle cycle) {
    return all(WakeSet.of(cycle), cycle);
  }

  /// The cycle after all gangs were tried that room given back since the last round gave a chance.
  @SuppressWarnings(
      "ReferenceEquality") // mostly no room was given back: an equal image is the same
  public static Cycle again(Cycle cycle) {
    State before = cycle.scheduled();
    State after = cycle.state();
    return before.cluster() == after.cluster()
        ? cycle
        : all(WakeSet.again(before, after, cycle.policies().quota()), cycle);
  }

  /// Tries one wake set after the other, until no gang is woken any more.
  private static Cycle all(WakeSet first, Cycle cycle) {
    State after = cycle.state();
    WakeSet next = first;
    while (!next.isEmpty()) {
      SchedulingRound round = new SchedulingRound(next, after, cycle);
      round.take();
      round.wake(after);
      after = round.state;
      next = round.again;
    }
    return cycle.scheduled(after);
  }

  private void take() {
    if (turn.isOfOne()) {
      only(turn.own().first());
    } else {
      turn.own().forEach(this::line);
      turn.classes().forEach(this::lineFirst);
      run();
    }
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
    result.touch(gang);
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
    GangAttempt attempt = GangAttempt.of(gang, before, policies, turn.classes(), images);
    result.touch(gang);
    state = attempt.after();
    if (mayGiveBack(before, gang) || changesClaims(before, state)) {
      wake(before);
    }
    if (attempt.decision().isPresent()) {
      result.add(attempt.decision().get());
    }
    if (attempt.isAdmitted() && waited.isPresent() && turn.classes().contains(waited.get().key())) {
      lineFirst(waited.get().key());
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
        && before.cluster().ledger().accounts() != after.cluster().ledger().accounts();
  }

  private void wake(State before) {
    WakeSet more = WakeSet.again(before, state, policies.quota());
    again = more.isEmpty() ? again : again.and(more);
  }
}
