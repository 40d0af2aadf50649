package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Remedy;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState.NodeShare;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Hold upkeep keeps capacity for gangs that cannot use it yet, as a [Hold] each.
///
/// - A *hole* is the capacity of a failed member of a running gang. It is kept until the gang has
///   its minimum again, none of its members runs, or the time for repair is over. If all
///   replacements exist at that time but have no place, the whole gang is released, with or without
///   a hole: its other members occupy GPUs that they cannot use.
/// - A gang that loses members again has a hole for the rest of that time. It gets the time back
///   while it is whole. So a hole that is filled and left in turn is there for half the time.
/// - Capacity of an *ending* gang is kept from the end of its first member to the end of its last.
///   Otherwise small gangs would take it piece by piece before a gang that needs all of it could.
///
/// Holds for planned starts are kept by [StartPlans].
public final class HoldUpkeep {
  /// The number of holes of a namespace. Each attempt of a gang with a hold of its own costs time
  /// for each of them.
  static final int HOLES = 256;

  private final Policies policies;
  private final CycleResult result;
  private State state;

  /// Members of the event that have left their nodes.
  private final List<Member> left = new ArrayList<>();

  private HoldUpkeep(Cycle cycle) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.state = cycle.state();
  }

  /// Adds and ends holds of running and ending gangs.
  public static Cycle run(Cycle cycle) {
    HoldUpkeep upkeep = new HoldUpkeep(cycle);
    upkeep.holes(cycle.event(), cycle.before().cluster());
    if (cycle.isTick()) {
      upkeep.expire();
    }
    return cycle.with(upkeep.state);
  }

  // ---- Capacity of failed members ----

  private void holes(Event event, Cluster before) {
    switch (event) {
      case Event.OfGang said -> {
        for (Event.GangFact fact : said.facts()) {
          hole(fact, before);
        }
        left.forEach(this::forget); // only now: two facts may be about one pod
        left.clear();
        time(before, said.gang());
      }
      case Event.NodeSeen _,
          Event.NodeGone _,
          Event.UnmanagedPodSeen _,
          Event.UnmanagedPodGone _,
          Event.Tick _,
          Event.PolicyChanged _,
          Event.BudgetsSpent _,
          Event.Outcome _ -> {}
      case Event.Synced _ -> // it is not known where lost members ran
          state.cluster().gangs().keys().forEach(gang -> time(before, gang));
    }
  }

  private void hole(Event.GangFact fact, Cluster before) {
    switch (fact) {
      case Event.MemberSeen(_, Member member) -> left(before, member.gang(), member.id());
      case Event.MemberGone(_, GangId gang, MemberId member) -> left(before, gang, member);
      case Event.GangSeen _, Event.GangGone _ -> filled(fact.gang());
      case Event.DiscrepanciesSeen _ -> {}
    }
  }

  /// Keeps the capacity of a member that left for its gang, unless the gang is being preempted.
  private void left(Cluster before, GangId id, MemberId pod) {
    Member was = before.gang(id).members().get(pod).orElse(null);
    Gang gang = state.cluster().gang(id);
    Optional<Member> is = gang.members().get(pod);
    boolean stays = state.preemptions().stopOf(id).isEmpty();
    if (stays
        && was != null
        && was.isBound()
        && (is.isEmpty() || !is.get().isBound())
        && isBroken(gang)
        && (isHole(id) || (wasWhole(before, id) && mayHaveHole(id)))) {
      keep(Hold.Kind.HOLE, was);
    }
    filled(id);
    if (was != null && was.node().isPresent() && is.flatMap(Member::node).isEmpty()) {
      if (stays && isEnding(gang, pod)) {
        keep(Hold.Kind.ENDING, was);
      }
      left.add(was);
    }
    if (isKept(id, Hold.Kind.ENDING) && !isSomewhere(gang)) {
      state = state.with(state.cluster().withoutHold(id));
    }
  }

  /// Ends the hole of a gang that is no longer to be refilled. If the whole gang is ending, its
  /// capacity stays held for that.
  private void filled(GangId id) {
    if (!isHole(id)) {
      return;
    }
    Gang gang = state.cluster().gang(id);
    if (isBroken(gang)) {
      return;
    }
    Hold hole = state.cluster().holds().get(id).orElseThrow();
    state = state.with(state.cluster().withoutHold(gang.id()));
    if (isGoing(gang)) {
      Hold ending = hold(gang.id(), Hold.Kind.ENDING).with(hole.shares());
      state = state.with(state.cluster().with(ending));
    }
  }

  /// Notes the time since which the gang lacks members, if it lost some of those that it ran with.
  /// If the last replacement comes when the time for repair is over, the time begins again.
  private void time(Cluster before, GangId id) {
    Gang was = before.gang(id);
    Gang gang = state.cluster().gang(id);
    Optional<Instant> since = state.broken().get(id);
    since.ifPresent(lost -> forgetLoss(id, lost));
    boolean starts = state.cluster().isStarting(id);
    boolean lacks =
        gang.spec().isPresent()
            && gang.boundCount() > 0
            && !PendingMembers.isWhole(gang)
            && !starts;
    boolean lost =
        !before.synced()
            || was.spec().isEmpty()
            || was.servedCount(Optional.empty()) > gang.servedCount(Optional.empty());
    boolean late = !was.isComplete() && gang.isComplete();
    if (since.isPresent() && !lacks) {
      state = state.broken(state.broken().without(id)).repaired(repaired(id, since.get()));
    } else if (lacks && (since.isEmpty() ? lost : late && isOver(since.get()))) {
      state = state.broken(state.broken().with(id, state.cluster().now()));
    }
  }

  /// Notes when the gang, which is whole again, may lack members for the full time again.
  private SortedTable<GangId, Instant> repaired(GangId id, Instant since) {
    Instant now = state.cluster().now();
    Duration lacked = used(id, since).plus(Duration.between(since, now));
    boolean isLong = lacked.compareTo(policies.repairTimeout()) > 0;
    return state.repaired().with(id, now.plus(isLong ? policies.repairTimeout() : lacked));
  }

  /// Returns the time for repair that the gang had used at the instant.
  private Duration used(GangId gang, Instant at) {
    Instant regained = state.repaired().get(gang).orElse(at);
    return regained.isAfter(at) ? Duration.between(at, regained) : Duration.ZERO;
  }

  private Hold hold(GangId gang, Hold.Kind kind) {
    Instant now = state.cluster().now();
    Instant since = kind == Hold.Kind.HOLE ? now.minus(used(gang, now)) : now;
    return new Hold(gang, kind, Optional.empty(), since, SortedTable.empty());
  }

  /// True if the gang may have a hole: it has time left, and its namespace has few holes.
  private boolean mayHaveHole(GangId gang) {
    int holes = 0;
    for (Hold hold : state.cluster().holds()) {
      boolean isHole = hold.kind() == Hold.Kind.HOLE;
      holes += isHole && hold.gang().namespace().equals(gang.namespace()) ? 1 : 0;
    }
    return holes < HOLES && !isOver(hold(gang, Hold.Kind.HOLE).since());
  }

  /// True if the gang has no use for the capacity of this member, and other members still use
  /// theirs.
  private boolean isEnding(Gang gang, MemberId left) {
    boolean done = isGoing(gang) || gang.members().contains(left, Member::hasSucceeded);
    boolean other =
        state.cluster().holds().contains(gang.id()) && !isKept(gang.id(), Hold.Kind.ENDING);
    return done && isSomewhere(gang) && !other;
  }

  /// True if all members of the gang that still use a node are ending, or its object is gone.
  private static boolean isGoing(Gang gang) {
    return (gang.spec().isEmpty() || gang.boundCount() == 0) && isSomewhere(gang);
  }

  private static boolean isSomewhere(Gang gang) {
    return gang.boundCount() + gang.memberCounts().stopping() > 0;
  }

  /// True if the gang runs with fewer members than its minimum.
  private boolean isBroken(Gang gang) {
    return gang.isBroken(state.cluster().reservations().get(gang.id()));
  }

  private static boolean wasWhole(Cluster before, GangId id) {
    Gang gang = before.gang(id);
    return gang.servedCount(before.reservations().get(id)) >= gang.wholeCount();
  }

  private boolean isHole(GangId gang) {
    return isKept(gang, Hold.Kind.HOLE);
  }

  private boolean isKept(GangId gang, Hold.Kind kind) {
    Optional<Hold> hold = state.cluster().holds().get(gang);
    return hold.isPresent() && hold.get().kind() == kind;
  }

  /// Adds the capacity of a lost member to the hold of its gang. A terminating pod still uses its
  /// node: its capacity is held once it has left.
  private void keep(Hold.Kind kind, Member lost) {
    NodeId node = lost.node().orElseThrow();
    if (kind == Hold.Kind.HOLE && isKept(lost.gang(), Hold.Kind.ENDING)) {
      state = state.with(state.cluster().withoutHold(lost.gang()));
    }
    Hold hold = state.cluster().holds().get(lost.gang()).orElseGet(() -> hold(lost.gang(), kind));
    Hold.Share before =
        hold.shares().get(node).orElseGet(() -> new Hold.Share(NodeShare.NONE, SortedKeys.empty()));
    if (!before.leavers().contains(lost.id())) {
      Hold.Share share =
          new Hold.Share(
              before.needs().plus(NodeShare.of(lost.request())), before.leavers().with(lost.id()));
      state = state.with(state.cluster().with(hold.with(hold.shares().with(node, share))));
    }
  }

  /// Removes a member that has left its node from the leavers of its gang's hold. Each event about
  /// the gang costs time for each leaver.
  private void forget(Member left) {
    NodeId node = left.node().orElseThrow();
    Optional<Hold> hold = state.cluster().holds().get(left.gang());
    Optional<Hold.Share> share =
        hold.flatMap(it -> it.shares().get(node)).filter(it -> it.leavers().contains(left.id()));
    if (share.isPresent()) {
      Hold.Share rest =
          new Hold.Share(share.get().needs(), share.get().leavers().without(left.id()));
      var shares = hold.orElseThrow().shares().with(node, rest);
      state = state.with(state.cluster().with(hold.orElseThrow().with(shares)));
    }
  }

  private boolean isOver(Instant since) {
    return policies.isRepairOver(since, state.cluster().now());
  }

  private void expire() {
    for (Hold hold : state.cluster().holds()) {
      boolean ended = !state.cluster().now().isBefore(hold.since().plus(Hold.ENDING_WITHIN));
      if ((hold.kind() == Hold.Kind.HOLE && isOver(hold.since()))
          || (hold.kind() == Hold.Kind.ENDING && ended)) {
        state = state.with(state.cluster().withoutHold(hold.gang()));
      }
    }
    for (GangId gang : state.repaired().keys()) {
      boolean isWhole = !state.broken().contains(gang);
      if (isWhole && used(gang, state.cluster().now()).isZero()) {
        state = state.repaired(state.repaired().without(gang));
      }
    }
    for (GangId gang : state.broken().keys()) {
      Instant since = state.broken().get(gang).orElseThrow();
      forgetLoss(gang, since);
      if (isOver(since)) {
        giveUp(state.cluster().gang(gang), since);
      }
    }
  }

  /// Ends the gang's right to what it lost, once its time for repair is over.
  private void forgetLoss(GangId gang, Instant since) {
    if (isOver(since) && state.cluster().ledger().lost(gang) > 0) {
      state = state.with(state.cluster().withoutLoss(gang));
    }
  }

  /// Releases the gang if all its replacements exist but found no place.
  ///
  /// A gang with promises waits for their end first. A gang that rests has tried places in vain. A
  /// gang that is being preempted ends in another way. If replacements are missing, its owner may
  /// have made the gang smaller: it runs on, and the others may join it.
  private void giveUp(Gang gang, Instant since) {
    boolean starting = state.cluster().reservations().contains(gang.id(), held -> !held.rests());
    boolean stopped = state.preemptions().stopOf(gang.id()).isPresent();
    if (starting || stopped || !PendingMembers.exist(state.cluster(), gang)) {
      return;
    }
    if (state.releaseAt(gang, policies).isPresent()) {
      state = state.broken(state.broken().without(gang.id()));
      release(gang, since);
    } else if (waitsForMembers(gang.id())) {
      result.touch(gang.id());
    }
  }

  private boolean waitsForMembers(GangId gang) {
    return state
        .why(gang)
        .flatMap(Explanation::main)
        .filter(why -> why.remedy() == Remedy.MEMBERS)
        .isPresent();
  }

  /// Releases the gang like one that did not start in time. It keeps a reservation without promises
  /// until its members are gone, and their eviction is repeated until then.
  private void release(Gang gang, Instant since) {
    Cluster cluster = state.cluster();
    Reservation held = Reservation.open(gang.id(), since, cluster.now());
    state = state.with(GangRelease.release(cluster, gang, held, result));
  }
}
