package dev.muster.core.engine;

import dev.muster.core.admission.PlannedStart;
import dev.muster.core.admission.Rank;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Hold;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.engine.State.Outlook;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeSet;

/// Keeps the first of the waiting gangs planned: once a tick, plans that came true, broke or are
/// overdue are dropped, those of gangs that waited too long are drained, and gangs among the first
/// that have none are planned a start.
final class StartPlans {
  /// So many starts are sought at one tick, since each may cost a search for every doubling of
  /// ends.
  private static final int SOUGHT = 2;

  private final Policies policies;
  private final List<Decision.Plan> plans = new ArrayList<>();
  private State state;

  private StartPlans(State state, Policies policies) {
    this.state = state;
    this.policies = policies;
  }

  /// The state with plans kept, and those newly made.
  record Made(State state, List<Decision.Plan> plans) {}

  static Made after(State state, Policies policies) {
    StartPlans work = new StartPlans(state, policies);
    if (policies.backfill().depth() > 0) {
      state.cluster().holds().forEach(work::review);
      work.state = work.state.with(work.state.vain().asOf(work.state.cluster()));
      work.plan(work.first());
    }
    return new Made(work.state, work.plans);
  }

  private Instant now() {
    return state.cluster().now();
  }

  // ---- Plans that there are ----

  private void review(Hold hold) {
    if (hold.kind() == Hold.Kind.HOLE || hold.kind() == Hold.Kind.VACATING) {
      return;
    }
    boolean waits = waitsForRoom(state, hold.gang());
    boolean overdue = !hold.start().orElse(Instant.MAX).isAfter(now());
    boolean draining = hold.kind() == Hold.Kind.DRAINING;
    if (!waits || (overdue && !draining) || isBroken(state.cluster(), hold) || isDue(hold)) {
      state = state.with(state.cluster().withoutHold(hold.gang()));
      if (waits) {
        state = state.with(hold.gang(), new Outlook(hold.since(), now()));
      }
    } else if (overdue) {
      state = state.with(state.cluster().with(hold.startingSometime()));
    }
  }

  static boolean waitsForRoom(State state, GangId gang) {
    return state
        .waiting()
        .classOf(gang)
        .flatMap(waits -> waits.why().main())
        .filter(StartPlans::isRoom)
        .isPresent();
  }

  static boolean isRoom(Veto veto) {
    return veto.remedy() == Remedy.EVICTION || veto.remedy() == Remedy.RELEASE;
  }

  /// A plan that is to be made anew as one that drains.
  private boolean isDue(Hold hold) {
    return hold.kind() == Hold.Kind.PLANNED && drains(hold.since());
  }

  private boolean drains(Instant since) {
    return !now().isBefore(since.plus(policies.backfill().drainAfter()));
  }

  /// Whether some node cannot give any more what is claimed there, even once those have left whose
  /// end is counted on.
  static boolean isBroken(Cluster cluster, Hold hold) {
    for (NodeId id : hold.claims().keys()) {
      Hold.Claim claim = hold.claims().get(id).orElseThrow();
      if (cluster.nodes().get(id).filter(n -> canGive(n, claim, hold)).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private static boolean canGive(NodeState node, Hold.Claim claim, Hold hold) {
    if (node.node().cordoned() || !node.node().faults().isEmpty()) {
      return false;
    }
    if (hold.kind() == Hold.Kind.DRAINING) {
      return node.node().allocatable().covers(claim.needs().resources());
    }
    return node.roomFor(claim).covers(claim.needs().resources());
  }

  // ---- Plans to be made ----

  /// The first gangs in the order that wait for room, as many as are planned.
  private List<Gang> first() {
    PriorityQueue<Rank> queue = new PriorityQueue<>();
    for (WaitClass waits : state.waiting().classes()) {
      if (waits.why().main().filter(StartPlans::isRoom).isPresent()) {
        queue.add(rank(waits.first()));
      }
    }
    List<Gang> first = new ArrayList<>();
    TreeSet<GangId> seen = new TreeSet<>();
    while (!queue.isEmpty() && first.size() < policies.backfill().depth()) {
      Gang next = state.cluster().gang(queue.remove().gang());
      first.add(next);
      seen.add(next.id());
      state
          .waiting()
          .classOf(next.id())
          .flatMap(waits -> waits.gangs().first(gang -> !seen.contains(gang)))
          .map(this::rank)
          .ifPresent(queue::add);
    }
    return first;
  }

  private Rank rank(GangId gang) {
    return policies.order().rank(state.cluster(), state.cluster().gang(gang));
  }

  private void plan(List<Gang> first) {
    int sought = 0;
    for (Gang gang : first) {
      Outlook outlook = state.outlooks().get(gang.id()).orElseGet(() -> new Outlook(now(), now()));
      boolean due = !now().isBefore(outlook.again()) || drains(outlook.since());
      boolean vain = state.vain().asOf(state.cluster()).gangs().contains(gang.id());
      if (!state.cluster().holds().contains(gang.id()) && due && !vain && sought < SOUGHT) {
        sought++;
        state = state.with(gang.id(), new Outlook(outlook.since(), now().plus(Outlook.AGAIN)));
        plan(gang, outlook.since());
      }
    }
  }

  private void plan(Gang gang, Instant since) {
    Cluster image = state.cluster();
    List<Member> wanting = Wanting.of(image, gang);
    int least = Math.max(1, Wanting.lacking(image, gang));
    List<Member> members = wanting.subList(0, Math.min(least, wanting.size()));
    Cluster allowed = Bounds.of(state, gang, policies.order()).image();
    Gang narrowed = policies.quota().narrowed(image, gang);
    Optional<Hold> hold =
        PlannedStart.of(allowed, state.runs(), narrowed, members, since, drains(since));
    if (hold.isPresent()) {
      state = state.with(image.with(hold.get()));
      Explanation why = state.why(gang.id()).orElseThrow();
      plans.add(new Decision.Plan(gang.id(), hold.get().start(), hold.get().claims().keys(), why));
    } else if (drains(since)) {
      state = state.with(state.vain().with(gang.id(), image));
    }
  }
}
