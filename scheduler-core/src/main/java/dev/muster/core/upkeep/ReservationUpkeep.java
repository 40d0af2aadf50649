package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Intervals;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Function;

/// Reservation upkeep ends reservations that the facts fulfil, and releases those out of time.
///
/// Progress of a start is noted by [StartProgress]. Promises that a node cannot keep are dropped by
/// [PromiseCheck], and the members are placed again in the gang's next attempt.
public final class ReservationUpkeep {
  private final Policies policies;
  private final CycleResult result;
  private final ReservationEdits edits;
  private final StartProgress progress;
  private final PromiseCheck nodes;

  private ReservationUpkeep(Cycle cycle) {
    this.policies = cycle.policies();
    this.result = cycle.result();
    this.edits = new ReservationEdits(cycle);
    this.progress = new StartProgress(edits);
    this.nodes = new PromiseCheck(edits);
  }

  /// Updates the reservations that the event may concern.
  public static Cycle run(Cycle cycle) {
    ReservationUpkeep upkeep = new ReservationUpkeep(cycle);
    upkeep.take(cycle.event());
    return cycle.with(upkeep.edits.cluster());
  }

  private void take(Event event) {
    switch (event) {
      case Event.ReservationWritten(_, GangId gang, int edition) -> progress.written(gang, edition);
      case Event.ReservationNotWritten(_, GangId gang, String problem, var refusal) -> {
        progress.notWritten(gang);
        if (refusal.isPresent()) {
          refused(gang, again -> new Veto.RecordRefused(problem, again));
        }
      }
      case Event.MemberNotStarted(
              _,
              GangId gang,
              MemberId member,
              NodeId node,
              String problem,
              var refusal) -> {
        progress.notStarted(gang, member, node);
        if (refusal.isPresent()) {
          refused(gang, again -> new Veto.StartRefused(problem, again));
        }
      }
      case Event.StartDelayed(_, GangId gang, Instant asked) -> delayed(gang, asked);
      case Event.OfGang said -> {
        for (Event.GangFact fact : said.facts()) {
          take(fact);
        }
        for (Event.GangFact fact : said.facts()) {
          onEvent(fact);
        }
      }
      case Event.NodeSeen(_, var node) -> {
        nodes.node(node.id());
        nodes.moved(node.id());
      }
      case Event.NodeGone(_, NodeId node) -> nodes.lost(node);
      case Event.UnmanagedPodSeen(_, _, NodeId node, _, _) -> nodes.node(node);
      case Event.Synced _ -> edits.cluster().gangs().forEach(this::recover);
      case Event.Tick(Instant now, _) -> {
        progress.stand();
        expire(now);
      }
      case Event.MemberStarted(_, GangId gang, MemberId member, NodeId node) ->
          progress.started(gang, member, node);
      case Event.UnmanagedPodGone _,
          Event.VictimsRecorded _,
          Event.VictimsNotRecorded _,
          Event.VictimTold _,
          Event.MemberNotEvicted _,
          Event.BudgetsSpent _,
          Event.PolicyChanged _ -> {}
    }
  }

  private void take(Event.GangFact fact) {
    switch (fact) {
      case Event.MemberSeen(_, Member member) -> {
        progress.nomination(member);
        member.node().ifPresent(nodes::node);
        settle(member.gang());
      }
      case Event.MemberGone(_, GangId gang, _) -> settle(gang);
      case Event.GangSeen(_, GangSpec spec) -> {
        progress.unrecorded(spec);
        settle(spec.id());
      }
      case Event.GangGone(_, GangId gang) -> withdrawn(gang);
      case Event.DiscrepanciesSeen _ -> {}
    }
  }

  /// Handles facts about a bound or refused member, after all reservations are settled.
  private void onEvent(Event.GangFact fact) {
    if (fact instanceof Event.MemberSeen(_, Member member)) {
      late(member);
      progress.unheard(member);
    }
  }

  /// Restores the reservation that an earlier process recorded for the gang.
  private void recover(Gang gang) {
    Cluster recovered = ReservationRecovery.of(edits.cluster(), gang, policies);
    if (recovered.reservations().contains(gang.id())) {
      edits.set(recovered, gang.id());
    }
  }

  // ---- End of reservations ----

  /// Ends the reservation of a gang that has started completely.
  ///
  /// If it has nodes that it does not use now, the reservation stays until its deadline. Otherwise
  /// pods by which the gang was to grow would be tried there again and again. A gang that ran
  /// complete and of which no pod runs any more must start again as a whole.
  private void settle(GangId id) {
    Optional<Reservation> held = edits.of(id);
    if (held.isPresent()) {
      settle(held.get(), edits.cluster().gang(id));
    }
  }

  private void settle(Reservation held, Gang gang) {
    boolean rests =
        gang.spec().isPresent()
            && !held.releasing()
            && !held.shunned().isEmpty()
            && gang.wantingCount() > 0;
    boolean anew = held.ran() && !held.releasing() && gang.boundCount() == 0;
    if (anew || (held.promises().isEmpty() && !rests && isOver(held, gang))) {
      edits.end(gang.id());
    } else if (isStarted(gang) && !held.ran() && !held.releasing()) {
      edits.noteSilently(held.ofRunning());
    }
  }

  private static boolean isStarted(Gang gang) {
    return gang.spec().isPresent() && gang.boundCount() > 0 && PendingMembers.isWhole(gang);
  }

  private static boolean isOver(Reservation reservation, Gang gang) {
    boolean leaves = reservation.releasing() || gang.spec().isEmpty();
    return leaves ? gang.boundCount() == 0 : reservation.ran() || PendingMembers.isWhole(gang);
  }

  /// Handles a gang that lost its object. No pod is placed for it any more, and running pods are
  /// left alone. Objects may be replaced, so a gang that had started in part keeps its deadline.
  private void withdrawn(GangId id) {
    Optional<Reservation> held = edits.of(id);
    Gang old = edits.before().gang(id);
    if (held.isPresent()) {
      boolean half = old.boundCount() > 0 && !PendingMembers.isWhole(old) && !held.get().ran();
      if (half) {
        edits.put(held.get().unplanned());
      } else {
        edits.end(id);
      }
    }
  }

  /// Gives a reservation to a gang with a bound member but no promise for it.
  ///
  /// The member was being bound when the gang was released. The gang gets the full bind timeout to
  /// start completely, or it is released again with this member. A gang that ran complete and lost
  /// members is repaired instead, as [HoldUpkeep] states.
  private void late(Member member) {
    boolean isNew = member.isBound() && edits.earlier(member).filter(Member::isBound).isEmpty();
    if (!isNew || edits.before().promise(member).isPresent()) {
      return;
    }
    Gang gang = edits.cluster().gang(member.gang());
    if (!PendingMembers.isWhole(gang)
        && gang.past().ranWith().isEmpty()
        && !edits.cluster().reservations().contains(gang.id())) {
      edits.put(policies.reservation(gang.id(), edits.cluster().now()));
    }
  }

  /// Lets the bind timeout count from the time at which kube-scheduler came to the gang.
  ///
  /// Before that it could not bind the pods: its queue was long. The reservation still ends, after
  /// [Policies#BACKLOG] times the bind timeout at the latest.
  private void delayed(GangId gang, Instant asked) {
    Optional<Reservation> held = edits.of(gang).filter(r -> !r.releasing());
    if (held.isPresent()) {
      Instant last = held.get().since().plus(policies.bindTimeout().multipliedBy(Policies.BACKLOG));
      Instant end = asked.plus(policies.bindTimeout());
      Instant until = end.isBefore(last) ? end : last;
      if (until.isAfter(held.get().until())) {
        edits.noteSilently(held.get().endingAt(until));
      }
    }
  }

  /// Takes the promises from a gang whose object refuses their record, or whose start switch is
  /// refused. A restart would not know promises without a record. A gang that has begun to start
  /// keeps its time while it can become whole, and one that runs goes on without the others, for
  /// the time of a repair if it lacks them.
  private void refused(GangId id, Function<Instant, Veto> why) {
    Optional<Reservation> held = edits.of(id).filter(r -> !r.releasing());
    Gang gang = edits.cluster().gang(id);
    Instant again = edits.cluster().now().plus(Intervals.UNRECORDABLE);
    if (held.isEmpty() || held.get().promises().isEmpty()) {
      return;
    }
    Veto veto = why.apply(again.truncatedTo(ChronoUnit.SECONDS));
    if (gang.boundCount() == 0
        || (veto instanceof Veto.StartRefused && isStuck(held.get(), gang))) {
      edits.set(GangRelease.release(edits.cluster(), gang, held.get(), veto, result), id);
    } else if (held.get().ran()) {
      edits.put(held.get().restingUntil(again));
    }
  }

  /// True if the gang has begun to start, and the pods whose start was not refused are too few.
  private static boolean isStuck(Reservation held, Gang gang) {
    int starting = held.promises().count(promise -> promise.stage() != Promise.Stage.KEPT);
    return !held.ran() && gang.boundCount() + gang.succeededCount() + starting < gang.wholeCount();
  }

  private void expire(Instant now) {
    for (Reservation reservation : edits.cluster().reservations()) {
      if (!now.isBefore(reservation.until())) {
        expire(reservation, edits.cluster().gang(reservation.gang()));
      }
    }
  }

  /// Handles a reservation at its deadline. A gang that is complete, or was before it lost a
  /// member, keeps running; any other gang is released.
  ///
  /// The reservation of a released gang with bound members stays with its record until they are
  /// gone. So their eviction is repeated, even by the next process.
  private void expire(Reservation reservation, Gang gang) {
    boolean keeps = (PendingMembers.isWhole(gang) || reservation.ran()) && !reservation.releasing();
    edits.touch(gang.id());
    if (keeps && gang.boundCount() > 0 && !reservation.promises().isEmpty()) {
      edits.put(reservation.restingUntil(edits.cluster().now().plus(policies.bindTimeout())));
    } else if (keeps) {
      edits.end(gang.id());
    } else {
      edits.set(GangRelease.release(edits.cluster(), gang, reservation, result), gang.id());
    }
  }
}
