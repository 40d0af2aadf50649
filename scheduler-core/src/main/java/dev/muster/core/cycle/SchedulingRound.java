package dev.muster.core.cycle;

import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.state.Policies;
import dev.muster.core.state.RecentSearches;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// A scheduling round tries all gangs of one [WakeSet] in the policy's order, one after another.
/// Each attempt sees the reservations of the attempts before it.
///
/// Events about a gang can be many, and a search can be costly. Once [RecentSearches] permits the
/// namespace no more of them, a search waits for the next tick. There the gang of the namespace
/// that waits longest is searched in any case, and so is the class longest in doubt. So each has
/// its turn.
public final class SchedulingRound {
  /// The number of gangs that may change their class before the rest of such a class waits for a
  /// tick.
  static final int MOVED_AT_ONCE = 256;

  private final Policies policies;
  private final CycleResult result;
  private final WakeSet turn;
  private final PriorityQueue<Lined> queue = new PriorityQueue<>();
  private final Set<GangId> lined = new LinkedHashSet<>();
  private final VisibleCapacity.Images images = new VisibleCapacity.Images();
  private final List<WaitClass.Key> passedOver = new ArrayList<>();
  private final SearchAllowance allowance;
  private final WakeChecks checks;
  private final SortedTable<String, GangId> longestDue;
  private final Map<String, WaitClass.Key> longestInDoubt;
  private State state;
  private WakeSet again = WakeSet.EMPTY;
  private final Set<WaitClass.Key> moving = new TreeSet<>();
  private int moved;

  /// @param longestInDoubt the class of each namespace that is searched once, whatever its cost
  private SchedulingRound(
      WakeSet turn,
      State state,
      Cycle cycle,
      SearchAllowance allowance,
      WakeChecks checks,
      Map<String, WaitClass.Key> longestInDoubt) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.turn = turn;
    this.allowance = allowance;
    this.checks = checks;
    this.longestInDoubt = longestInDoubt;
    this.longestDue =
        cycle.isTick()
            ? cycle.state().waiting().longestDue(cycle.state().cluster().now())
            : SortedTable.empty();
    this.state =
        turn.outdated().isEmpty() ? state : state.with(state.waiting().doubting(turn.outdated()));
    passedOver.addAll(turn.unchecked());
  }

  /// A gang in the queue of a round.
  ///
  /// @param rank its rank when it was queued
  /// @param woken the class with which it was woken; empty if it is tried whatever it waits for
  private record Lined(Rank rank, Optional<WaitClass> woken) implements Comparable<Lined> {
    @Override
    public int compareTo(Lined other) {
      return rank.compareTo(other.rank);
    }
  }

  /// Tries all gangs that the event may have given a chance.
  public static Cycle run(Cycle cycle) {
    WakeChecks checks = new WakeChecks();
    WakeSet first = WakeSet.of(cycle, checks);
    Cycle counting = cycle.isTick() ? cycle.with(cycle.state().with(RecentSearches.NONE)) : cycle;
    return all(first, counting, checks);
  }

  /// Tries all gangs that may use capacity released since the last round.
  @SuppressWarnings("ReferenceEquality") // an unchanged image is identical
  public static Cycle again(Cycle cycle) {
    State before = cycle.scheduled();
    State after = cycle.state();
    if (before.cluster() == after.cluster()) {
      return cycle;
    }
    WakeChecks checks = new WakeChecks();
    return all(WakeSet.again(before, after, cycle.policies().quota(), checks), cycle, checks);
  }

  /// Tries one wake set after another, until no gang is woken any more.
  private static Cycle all(WakeSet first, Cycle cycle, WakeChecks checks) {
    SearchAllowance allowance = new SearchAllowance(cycle.result().doubted());
    Map<String, WaitClass.Key> longestInDoubt = longestInDoubt(cycle);
    State after = cycle.state();
    WakeSet next = first;
    while (!next.isEmpty()) {
      SchedulingRound round =
          new SchedulingRound(next, after, cycle, allowance, checks, longestInDoubt);
      round.take();
      round.wake(after);
      after = round.state;
      next = round.again;
    }
    return cycle.scheduled(after);
  }

  /// Returns the class of each namespace that a tick asks first.
  private static Map<String, WaitClass.Key> longestInDoubt(Cycle cycle) {
    Map<String, WaitClass.Key> longest = new TreeMap<>();
    for (WaitClass.Key asked : cycle.result().doubted()) {
      Optional<WaitClass> waits = cycle.state().waiting().classes().get(asked);
      waits.ifPresent(found -> longest.putIfAbsent(found.first().namespace(), asked));
    }
    return longest;
  }

  private void take() {
    if (turn.isOfOne()) {
      only(turn.own().first());
    } else {
      turn.own().forEach(this::line);
      turn.classes().forEach(this::lineFirst);
      allowance.share(turn.classes(), state.waiting().classes());
      run();
    }
    state = passedOver.isEmpty() ? state : state.with(state.waiting().passingOver(passedOver));
  }

  /// Tries the only gang of a wake set, without a queue. Most wake sets have one gang.
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

  /// Queues the first gang of a class with the rank that the class knows. Many classes are woken at
  /// once and few of their gangs are tried, so the gang itself is not read.
  private void lineFirst(WaitClass waits) {
    for (WaitClass.Age age : waits.gangs().keys()) {
      if (lined.add(age.gang())) {
        WaitClass.Key key = waits.key();
        long share = policies.order().share(state.cluster(), key.queue());
        Rank rank = new Rank(key.priority(), share, age.eligibleAt(), age.gang());
        queue.add(new Lined(rank, Optional.of(waits)));
        return;
      }
    }
  }

  /// Settles a gang that is gone, so that its status is no longer published.
  private void forget(GangId gang) {
    state = state.settled(gang);
    result.touch(gang);
  }

  private void run() {
    while (!queue.isEmpty()) {
      Lined next = queue.remove();
      if (next.woken().filter(waits -> !turn.helps(waits, state.cluster(), checks)).isPresent()) {
        continue; // usually: earlier gangs took the capacity
      }
      if (next.woken().filter(waits -> !isPermitted(waits)).isPresent()) {
        passedOver.add(next.woken().get().key());
        continue;
      }
      GangId gang = next.rank().gang();
      Rank now = rank(state.cluster().gang(gang));
      if (now.compareTo(next.rank()) > 0) {
        queue.add(new Lined(now, next.woken())); // its queue was just given resources
      } else {
        attempt(gang);
        next.woken().ifPresent(waits -> longestInDoubt.values().remove(waits.key()));
        next.woken().filter(waits -> isInVain(gang, waits.key())).ifPresent(allowance::failed);
      }
    }
  }

  /// True if a woken class may be searched. The others become doubtful: ticks go on with them.
  ///
  /// All pods of a large workload can leave a class one after another, because they avoid a node
  /// since they joined it. So after many of them such a class is passed over, but none behind it.
  private boolean isPermitted(WaitClass waits) {
    return !(hasMovedMany() && moving.contains(waits.key()))
        && allowance.permits(waits)
        && (!waits.costly() || isCostPermitted(waits));
  }

  private boolean isCostPermitted(WaitClass waits) {
    String namespace = waits.first().namespace();
    return waits.key().equals(longestInDoubt.get(namespace))
        || state.searches().permits(namespace, state.cluster().now());
  }

  private boolean hasMovedMany() {
    return moved >= MOVED_AT_ONCE;
  }

  /// True if the gang did not start. One that changed its class counts only after many others.
  private boolean isInVain(GangId gang, WaitClass.Key woken) {
    return isIn(gang, woken) || (hasMovedMany() && state.waiting().seats().contains(gang));
  }

  private boolean isIn(GangId gang, WaitClass.Key key) {
    return state.waiting().seats().contains(gang, seat -> seat.key().equals(key));
  }

  private void attempt(GangId gang) {
    State before = state;
    Optional<WaitClass> waited = before.waiting().classOf(gang);
    boolean woken = waited.filter(waits -> turn.classes().contains(waits.key())).isPresent();
    boolean deferred = !woken && !isSearchedNow(gang);
    GangAttempt attempt = GangAttempt.of(gang, before, policies, turn.classes(), images, deferred);
    result.touch(gang);
    state = attempt.after();
    if (attempt.inVain() || attempt.isAdmitted()) {
      state = state.with(searches(before.cluster(), gang, !woken && attempt.inVain()));
    }
    if (mayGiveBack(before, gang) || changesClaims(before, state)) {
      wake(before);
    }
    if (attempt.decision().isPresent()) {
      result.add(attempt.decision().get());
    }
    if (woken) {
      goOn(waited.orElseThrow().key(), gang);
    }
  }

  private RecentSearches searches(Cluster before, GangId gang, boolean failedItself) {
    RecentSearches recent = state.searches();
    Gang searched = before.gang(gang);
    return failedItself ? recent.failed(searched, before) : recent.costly(searched, before);
  }

  /// True if a search for the gang may fail in this step, though no event brought it capacity.
  private boolean isSearchedNow(GangId gang) {
    return longestDue.contains(gang.namespace(), gang::equals)
        || state.searches().permits(gang.namespace(), state.cluster().now());
  }

  /// Queues the next gang of a woken class if the first one was admitted or has left the class. An
  /// answer to a gang that was no longer like the others says nothing about them.
  private void goOn(WaitClass.Key woken, GangId tried) {
    if (!isIn(tried, woken)) {
      if (state.waiting().seats().contains(tried)) {
        moved++;
        moving.add(woken);
      }
      lineFirst(woken);
    }
  }

  /// True if the attempt may release capacity, also to gangs that were tried before it. Only a gang
  /// with a reservation or hold can do so.
  private static boolean mayGiveBack(State before, GangId gang) {
    return before.cluster().reservations().contains(gang)
        || before.cluster().holds().contains(gang);
  }

  /// True if an attempt changed the guarantee claims of its queue. A gang that starts, or can never
  /// start, claims less. That may open a GPU model to gangs that were tried before.
  @SuppressWarnings("ReferenceEquality") // unchanged accounts are identical
  private boolean changesClaims(State before, State after) {
    return !policies.quota().isOpen()
        && before.cluster().ledger().accounts() != after.cluster().ledger().accounts();
  }

  private void wake(State before) {
    WakeSet more = WakeSet.again(before, state, policies.quota(), checks);
    again = more.isEmpty() ? again : again.and(more);
  }
}
