package dev.muster.core.upkeep;

import dev.muster.core.admission.Rank;
import dev.muster.core.backfill.PlannedStart;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.MemberCounts;
import dev.muster.core.cluster.UsageLedger.ModelSupply;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.cycle.VisibleCapacity;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.node.Hold;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.StartForecast;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;

/// Start plans give the first of the waiting gangs a planned start.
///
/// Once a tick, plans that are fulfilled, broken or overdue are dropped, and gangs without one are
/// planned. A plan gives way to the plan of a gang earlier in the order. After `drainAfter`, nodes
/// are drained for a gang if no start can be planned because runtimes are unknown, or if its
/// promised start has passed. Until then, gangs that end earlier may use the nodes. A drained place
/// is given up once the gang has changed so that it could not start there.
///
/// Example, with `drainAfter` of 30 min: two racks of two nodes, of 8 GPUs each, are full. At 12:00
/// a gang of 2 x 8 comes. At the next tick it is among the first, and has a [StartForecast] since
/// 12:00 without a promised start.
///
/// - The gangs on n1 and n3 are expected to end at 12:20 and 12:40. That is a [PlannedStart] at
///   12:40 on n1 and n3, kept as a [Hold] and noted in the forecast. At 12:40 n3 is still in use.
///   The plan is dropped, its promised start has passed, and nodes are drained from then on.
/// - No runtime is known, so no start can be planned, which is noted in `FailedPlans`. The search
///   is repeated after another change, at most once a minute. At 12:30 a hold drains the two nodes
///   that will probably be empty first, if [DrainTerms] allow it.
public final class StartPlans {
  /// The number of searches at one tick; each may cost a placement search per doubling of ends.
  private static final int SOUGHT = 2;

  /// The divisor of a gang's acceptable GPUs that limits plans. The gang and those planned before
  /// it may need an eighth of these GPUs together; the first gang is always planned.
  private static final int SHARE = 8;

  private final Policies policies;
  private final CycleResult result;
  private final Map<GangId, List<Member>> needed = new TreeMap<>();
  private State state;

  private StartPlans(Cycle cycle) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.state = cycle.state();
  }

  /// Reviews plans and makes new ones; only a tick changes any.
  public static Cycle run(Cycle cycle) {
    if (!cycle.isTick() || cycle.policies().backfill().depth() == 0) {
      return cycle;
    }
    StartPlans work = new StartPlans(cycle);
    List<Gang> first = work.first();
    cycle.state().cluster().holds().forEach(hold -> work.review(hold, first));
    work.state = work.state.with(work.state.failedPlans().asOf(work.state.cluster()));
    work.plan(first);
    return cycle.with(work.state);
  }

  private Instant now() {
    return state.cluster().now();
  }

  // ---- Existing plans ----

  private void review(Hold hold, List<Gang> first) {
    boolean draining = hold.kind() == Hold.Kind.DRAINING;
    if (!draining && hold.kind() != Hold.Kind.PLANNED) {
      return;
    }
    HoldCheck check = new HoldCheck(policies, state);
    boolean waits = state.waitsForRoom(hold.gang());
    boolean over = !draining && isOver(hold, first);
    StartForecast forecast = state.forecast(hold.gang(), hold.since());
    if (!waits || over || HoldCheck.isUnkeepable(state.cluster(), hold) || check.isClaimed(hold)) {
      drop(hold, forecast.soughtAgain(now()));
    } else if (draining && !now().isBefore(forecast.again()) && !fits(hold, check)) {
      drop(hold, new StartForecast(now(), now(), Optional.empty()));
    } else if (draining) {
      Optional<Instant> open = terms().open(hold);
      if (!open.equals(hold.start())) {
        state = state.with(state.cluster().with(hold.startingAt(open)));
      }
    }
  }

  private void drop(Hold hold, StartForecast next) {
    state = state.with(state.cluster().withoutHold(hold.gang()));
    if (state.waitsForRoom(hold.gang())) {
      state = state.with(hold.gang(), next);
    }
  }

  /// True if the gang, as it is now, could start once the place is empty. That is asked again after
  /// a while.
  private boolean fits(Hold hold, HoldCheck check) {
    Instant next = now().plus(StartForecast.RECKONED);
    state = state.with(hold.gang(), state.forecast(hold.gang(), hold.since()).soughtAgain(next));
    return check.fits(hold, needed(state.cluster().gang(hold.gang())));
  }

  /// True if the planned start has passed, or if an old plan is for a gang not among the first.
  private boolean isOver(Hold planned, List<Gang> first) {
    boolean overdue = !planned.start().orElse(Instant.MAX).isAfter(now());
    boolean aged = !now().isBefore(planned.since().plus(policies.backfill().drainAfter()));
    return overdue || (aged && first.stream().noneMatch(gang -> gang.id().equals(planned.gang())));
  }

  // ---- New plans ----

  /// Returns the gangs to plan, in their order, from the first waiting ones up to the backfill
  /// depth. The first is always planned. Another is planned if it and those before it need at most
  /// a share of its acceptable GPUs: planned GPUs are idle until the last is free.
  private List<Gang> first() {
    PriorityQueue<Rank> queue = new PriorityQueue<>();
    for (WaitClass waits : state.waiting().classes()) {
      if (state.waitsForRoom(waits)) {
        queue.add(rank(waits.first()));
      }
    }
    List<Gang> first = new ArrayList<>();
    TreeSet<GangId> seen = new TreeSet<>();
    while (!queue.isEmpty() && seen.size() < policies.backfill().depth()) {
      Gang next = state.cluster().gang(queue.remove().gang());
      seen.add(next.id());
      if (isPlanned(next, first)) {
        first.add(next);
      }
      state
          .waiting()
          .classOf(next.id())
          .flatMap(waits -> waits.gangs().first(gang -> !seen.contains(gang)))
          .map(this::rank)
          .ifPresent(queue::add);
    }
    return first;
  }

  /// True if the gang may be planned. Gangs without even a place to drain do not count against it.
  private boolean isPlanned(Gang gang, List<Gang> before) {
    GpuModelPreference models = gang.constraints().gpus();
    int wanted = 0;
    for (Gang other : before) {
      boolean counts = rivals(models, other.constraints().gpus()) && !isPlaceless(other.id());
      wanted += counts ? gpus(other) : 0;
    }
    return wanted == 0 || (wanted + gpus(gang)) * SHARE <= gpus(models);
  }

  private boolean isPlaceless(GangId gang) {
    return state.cluster().holds().get(gang).isEmpty()
        && state.startForecasts().contains(gang)
        && wasSoughtToDrain(gang);
  }

  private boolean rivals(GpuModelPreference some, GpuModelPreference others) {
    return state.cluster().ledger().supply().keys().stream()
        .anyMatch(model -> some.accepts(model) && others.accepts(model));
  }

  private Rank rank(GangId gang) {
    return policies.order().rank(state.cluster(), state.cluster().gang(gang));
  }

  /// Searches a start for gangs that are due, those with the oldest search first. So the last ones
  /// get their search, however often one for the first has no result.
  private void plan(List<Gang> first) {
    List<Gang> due = new ArrayList<>();
    for (Gang gang : first) {
      state = state.with(gang.id(), state.forecast(gang.id(), now()));
      if (isDue(gang.id(), mayDrain(gang))) {
        due.add(gang);
      }
    }
    due.sort(Comparator.comparing(gang -> outlook(gang.id()).again())); // equal times stay in order
    for (Gang gang : due.subList(0, Math.min(SOUGHT, due.size()))) {
      state =
          state.with(gang.id(), outlook(gang.id()).soughtAgain(now().plus(StartForecast.AGAIN)));
      plan(gang, first.subList(0, first.indexOf(gang)), mayDrain(gang));
    }
  }

  private boolean mayDrain(Gang gang) {
    return !now().isBefore(drained(gang.id()));
  }

  /// Returns the GPUs that the gang needs at least. Whether nodes could take its smallest members
  /// is not asked, since that would be asked at each tick.
  private int gpus(Gang gang) {
    Cluster cluster = state.cluster();
    int least = Math.max(1, cluster.lacking(gang));
    return MemberCounts.smallest(gang, cluster.reservations().get(gang.id()), least);
  }

  private List<Member> needed(Gang gang) {
    return needed.computeIfAbsent(gang.id(), _ -> PendingMembers.needed(state.cluster(), gang));
  }

  private int gpus(GpuModelPreference models) {
    SortedTable<String, ModelSupply> supply = state.cluster().ledger().supply();
    return supply.keys().stream()
        .filter(models::accepts)
        .mapToInt(model -> supply.get(model).orElseThrow().gpus())
        .sum();
  }

  private StartForecast outlook(GangId gang) {
    return state.startForecasts().get(gang).orElseThrow();
  }

  private Instant drained(GangId gang) {
    return outlook(gang).drained(policies.backfill().drainAfter());
  }

  /// True if a search for the gang is due.
  ///
  /// A gang without a plan is due after a rest, and once when draining becomes permitted. A gang
  /// with a planned start is due when nodes may be drained instead.
  private boolean isDue(GangId gang, boolean drains) {
    StartForecast forecast = outlook(gang);
    Optional<Hold> hold = state.cluster().holds().get(gang);
    if (hold.isPresent()) {
      return drains && hold.get().kind() == Hold.Kind.PLANNED;
    }
    boolean rested = !now().isBefore(forecast.again());
    boolean begins = drains && !wasSoughtToDrain(gang);
    boolean vain = state.failedPlans().asOf(state.cluster()).isKnown(gang, drains);
    return (rested || begins) && !vain;
  }

  /// True if a start was searched for the gang since nodes may be drained for it.
  private boolean wasSoughtToDrain(GangId gang) {
    return !outlook(gang).again().minus(StartForecast.AGAIN).isBefore(drained(gang));
  }

  /// Plans one gang; nodes are drained only if no start can be planned or a planned one failed. If
  /// a drain would take too long, a place is searched again later.
  private void plan(Gang gang, List<Gang> before, boolean drains) {
    boolean failed = drains && outlook(gang.id()).promised().isPresent();
    Optional<Hold> hold = failed ? Optional.empty() : sought(gang, before, false);
    if (hold.isEmpty() && drains) {
      hold = sought(gang, before, true);
    }
    state = state.with(state.cluster().withoutHold(gang.id()));
    if (hold.filter(this::isTooLongADrain).isPresent()) {
      Instant again = now().plus(StartForecast.RECKONED);
      state = state.with(gang.id(), outlook(gang.id()).soughtAgain(again));
    } else if (hold.isPresent()) {
      keep(gang, hold.get(), before);
    } else {
      state = state.with(state.failedPlans().with(gang.id(), drains, state.cluster()));
    }
  }

  private boolean isTooLongADrain(Hold hold) {
    return hold.kind() == Hold.Kind.DRAINING && !terms().mayBegin(hold);
  }

  private DrainTerms terms() {
    return new DrainTerms(state, policies.backfill().drainAfter());
  }

  /// Searches a place that the gang would need for long. Unlike a gang that starts now, it respects
  /// all holds of others even if its runtime is short, since it would not end before them.
  private Optional<Hold> sought(Gang gang, List<Gang> before, boolean drains) {
    Cluster image = VisibleCapacity.forLong(state, gang, policies.order()).image();
    for (Hold hold : behind(gang, before)) {
      image = image.withoutHold(hold.gang());
    }
    Gang narrowed = policies.quota().narrowed(state.cluster(), gang);
    Instant since = outlook(gang.id()).since();
    return PlannedStart.of(image, state.history(), narrowed, needed(gang), since, drains);
  }

  /// Returns the plans of gangs behind this one. The order is the lasting one, without fair share:
  /// otherwise two queues that alternate would keep moving each other's plans.
  private List<Hold> behind(Gang gang, List<Gang> before) {
    Rank standing = policies.order().standing(gang);
    List<Hold> behind = new ArrayList<>();
    for (Hold hold : state.cluster().holds()) {
      boolean after =
          standing.compareTo(policies.order().standing(state.cluster().gang(hold.gang()))) < 0
              && before.stream().noneMatch(first -> first.id().equals(hold.gang()));
      if (hold.kind() == Hold.Kind.PLANNED && after) {
        behind.add(hold);
      }
    }
    return behind;
  }

  /// Keeps the plan, and drops overlapping plans of gangs behind it, which are planned again.
  private void keep(Gang gang, Hold hold, List<Gang> before) {
    for (Hold other : behind(gang, before)) {
      if (hold.shares().keys().stream().anyMatch(other.shares()::contains)) {
        state = state.with(state.cluster().withoutHold(other.gang()));
        state = state.with(other.gang(), new StartForecast(other.since(), now(), Optional.empty()));
      }
    }
    state = state.with(state.cluster().with(hold));
    state = state.with(gang.id(), outlook(gang.id()).promising(hold.promised()));
    Explanation why = state.why(gang.id()).orElseThrow();
    result.add(new Decision.Plan(gang.id(), hold.promised(), hold.shares().keys(), why));
  }
}
