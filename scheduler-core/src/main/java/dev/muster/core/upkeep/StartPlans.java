package dev.muster.core.upkeep;

import dev.muster.core.admission.Rank;
import dev.muster.core.backfill.PlannedStart;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
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
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.StartForecast;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeSet;

/// Keeps the first of the waiting gangs planned: once a tick, plans that came true, broke or are
/// overdue are dropped, and gangs among the first that have none are planned a start. What is
/// planned for a gang gives way to what is planned for one before it.
///
/// A gang that waited too long has its place drained if no start can be planned because nobody
/// knows when others end, or if the start that it was promised has passed: as long as a promise
/// holds, those that end before may pass.
///
/// Example, with `drainAfter` of 30 min: two racks of two nodes, of 8 GPUs each, are full. At 12:00
/// a gang of 2 x 8 comes. At the next tick it is among the first, and has an [StartForecast]: since
/// 12:00, promised nothing.
///
/// - The gangs on n1 and n3 are expected to end at 12:20 and 12:40: that is a [PlannedStart] at
///   12:40 on n1 and n3, kept as a [Hold], and the outlook says that it was promised. At 12:40 n3
///   is still in use. The plan is dropped, and since what was promised has passed its place is
///   drained from now on.
/// - Nobody knows when any of them ends: no start can be planned. That is noted as [FailedPlans], and it
///   is sought anew once something else than the time has changed, at most once a minute. At 12:30
///   it has waited long enough: whatever comes free on the two nodes that are likely to be empty
///   soonest is kept for it, a hold that drains.
public final class StartPlans {
  /// So many starts are sought at one tick, since each may cost a search for every doubling of
  /// ends.
  private static final int SOUGHT = 2;

  /// Of the GPUs that would do for a gang, an eighth at most is planned for it and those before it
  /// together, unless it is the first.
  private static final int SHARE = 8;

  private final Policies policies;
  private final CycleResult result;
  private State state;

  private StartPlans(Cycle cycle) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.state = cycle.state();
  }

  /// The cycle with plans kept and made; an event that is no tick changes none.
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

  // ---- Plans that there are ----

  private void review(Hold hold, List<Gang> first) {
    boolean draining = hold.kind() == Hold.Kind.DRAINING;
    if (!draining && hold.kind() != Hold.Kind.PLANNED) {
      return;
    }
    boolean waits = state.waitsForRoom(hold.gang());
    boolean over = !draining && isOver(hold, first);
    if (!waits || over || isUnkeepable(state.cluster(), hold) || isClaimed(hold)) {
      state = state.with(state.cluster().withoutHold(hold.gang()));
      if (waits) {
        state =
            state.with(hold.gang(), state.forecast(hold.gang(), hold.since()).soughtAgain(now()));
      }
    } else if (draining) {
      Optional<Instant> open = open(hold);
      if (!open.equals(hold.start())) {
        state = state.with(state.cluster().with(hold.startingAt(open)));
      }
    }
  }

  /// Whether the planned start has passed, or was planned so long ago for a gang that is not among
  /// the first any more.
  private boolean isOver(Hold planned, List<Gang> first) {
    boolean overdue = !planned.start().orElse(Instant.MAX).isAfter(now());
    boolean aged = !now().isBefore(planned.since().plus(policies.backfill().drainAfter()));
    return overdue || (aged && first.stream().noneMatch(gang -> gang.id().equals(planned.gang())));
  }

  /// Whether others claim by now what the queue would have to borrow there: the gang could not
  /// start, and kept those from it that claim it. What its queue uses itself is no reason: that may
  /// have ended by then.
  private boolean isClaimed(Hold hold) {
    if (policies.quota().isOpen()) {
      return false;
    }
    Cluster cluster = state.cluster();
    Gang gang = cluster.gang(hold.gang());
    Policies unclaimed = policies.unclaimed(new TreeSet<>(cluster.ledger().supply().keys()));
    GpuModelPreference most = unclaimed.quota().narrowed(cluster, gang).constraints().gpus();
    GpuModelPreference open = policies.quota().narrowed(cluster, gang).constraints().gpus();
    return hold.shares().keys().stream()
        .filter(id -> hold.shares().get(id).orElseThrow().needs().gpus() > 0)
        .flatMap(id -> cluster.nodes().get(id).stream())
        .map(node -> node.node().model().name())
        .anyMatch(model -> most.accepts(model) && !open.accepts(model));
  }

  /// Until when those may pass the place that are expected to have left it by then: as long as
  /// those are likely to be there that have run for longest, but not for ever, lest one follow
  /// another: where all runs are short, the place is soon kept for good. It is reckoned anew every
  /// few minutes.
  private Optional<Instant> open(Hold hold) {
    Instant since =
        state.forecast(hold.gang(), hold.since()).drained(policies.backfill().drainAfter());
    Instant closed = since.plus(StartForecast.open(state.history()));
    Instant empty =
        PlannedStart.empty(state.cluster(), state.history(), hold, StartForecast.reckoned(now()));
    return Optional.of(empty.isBefore(closed) ? empty : closed).filter(now()::isBefore);
  }

  /// Whether some node cannot give any more what is claimed there, even once those have left whose
  /// end is counted on.
  public static boolean isUnkeepable(Cluster cluster, Hold hold) {
    for (NodeId id : hold.shares().keys()) {
      Hold.Share share = hold.shares().get(id).orElseThrow();
      if (cluster.nodes().get(id).filter(n -> canGive(n, share, hold)).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private static boolean canGive(NodeState node, Hold.Share share, Hold hold) {
    if (node.node().cordoned() || !node.node().faults().isEmpty()) {
      return false;
    }
    if (hold.kind() == Hold.Kind.DRAINING) {
      return node.node().allocatable().covers(share.needs().resources());
    }
    return node.roomFor(share).covers(share.needs().resources());
  }

  // ---- Plans to be made ----

  /// The gangs that are planned, in their order: of the first so many that wait for room the first
  /// of all, and of each other one whether it and those planned before it want no more than a share
  /// of the GPUs that would do for it. What is planned stands idle as others leave.
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

  /// One before it for which not even a place to drain was found is in nobody's way.
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
    for (String model : state.cluster().ledger().supply().keys()) {
      if (some.accepts(model) && others.accepts(model)) {
        return true;
      }
    }
    return false;
  }

  private Rank rank(GangId gang) {
    return policies.order().rank(state.cluster(), state.cluster().gang(gang));
  }

  /// Seeks a start for those of them that are due, whoever was not looked at for longest before the
  /// others: however often the first are sought one in vain, the last have their turn.
  private void plan(List<Gang> first) {
    List<Gang> due = new ArrayList<>();
    for (Gang gang : first) {
      state = state.with(gang.id(), state.forecast(gang.id(), now()));
      if (isDue(gang.id(), mayDrain(gang))) {
        due.add(gang);
      }
    }
    due.sort(Comparator.comparing(gang -> outlook(gang.id()).again())); // else they stay in order
    for (Gang gang : due.subList(0, Math.min(SOUGHT, due.size()))) {
      state = state.with(gang.id(), outlook(gang.id()).soughtAgain(now().plus(StartForecast.AGAIN)));
      plan(gang, first.subList(0, first.indexOf(gang)), mayDrain(gang));
    }
  }

  private boolean mayDrain(Gang gang) {
    return !now().isBefore(drained(gang.id()));
  }

  private int gpus(Gang gang) {
    return PendingMembers.needed(state.cluster(), gang).stream()
        .mapToInt(member -> member.request().gpus())
        .sum();
  }

  private int gpus(GpuModelPreference models) {
    int gpus = 0;
    SortedTable<String, ModelSupply> supply = state.cluster().ledger().supply();
    for (String model : supply.keys()) {
      gpus += models.accepts(model) ? supply.get(model).orElseThrow().gpus() : 0;
    }
    return gpus;
  }

  private StartForecast outlook(GangId gang) {
    return state.startForecasts().get(gang).orElseThrow();
  }

  private Instant drained(GangId gang) {
    return outlook(gang).drained(policies.backfill().drainAfter());
  }

  /// Whether the gang lacks a plan and was not looked at for long, or never since it has waited so
  /// long; or has one that is to be made anew as one that drains.
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

  /// Whether the gang was looked at since its place may be drained.
  private boolean wasSoughtToDrain(GangId gang) {
    return !outlook(gang).again().minus(StartForecast.AGAIN).isBefore(drained(gang));
  }

  /// A place that drains is sought only where no start can be planned, or none that comes true.
  private void plan(Gang gang, List<Gang> before, boolean drains) {
    boolean failed = drains && outlook(gang.id()).promised().isPresent();
    Optional<Hold> hold = failed ? Optional.empty() : sought(gang, before, false);
    if (hold.isEmpty() && drains) {
      hold = sought(gang, before, true);
    }
    state = state.with(state.cluster().withoutHold(gang.id()));
    if (hold.isPresent()) {
      keep(gang, hold.get(), before);
    } else {
      state = state.with(state.failedPlans().with(gang.id(), drains, state.cluster()));
    }
  }

  /// A place for good: unlike a gang that starts now, it heeds what is held for others however
  /// short it runs, since it would not be gone by then.
  private Optional<Hold> sought(Gang gang, List<Gang> before, boolean drains) {
    Cluster image = VisibleCapacity.forLong(state, gang, policies.order()).image();
    for (Hold hold : behind(gang, before)) {
      image = image.withoutHold(hold.gang());
    }
    Gang narrowed = policies.quota().narrowed(state.cluster(), gang);
    List<Member> needed = PendingMembers.needed(state.cluster(), gang);
    Instant since = outlook(gang.id()).since();
    return PlannedStart.of(image, state.history(), narrowed, needed, since, drains);
  }

  /// What is planned for gangs that do not come before it, and never will while these are as they
  /// are: two queues that take turns in the order must not move each other's plans to and fro.
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

  /// Whoever behind it was promised a place there is promised another.
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
