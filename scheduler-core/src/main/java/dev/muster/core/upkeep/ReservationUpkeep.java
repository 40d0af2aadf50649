package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import java.time.Instant;
import java.util.Optional;

/// Reservation upkeep ends reservations that the facts fulfil, and releases those out of time.
///
/// Progress of a start is noted by [StartProgress]; promises that a node cannot keep are dropped by
/// [PromiseCheck] and planned again in the gang's next attempt.
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

  /// The cycle with the reservations kept that the event may concern.
  public static Cycle run(Cycle cycle) {
    ReservationUpkeep upkeep = new ReservationUpkeep(cycle);
    upkeep.take(cycle.event());
    return cycle.with(upkeep.edits.cluster());
  }

  private void take(Event event) {
    switch (event) {
      case Event.ReservationWritten(_, GangId gang, int edition) -> progress.written(gang, edition);
      case Event.ReservationNotWritten(_, GangId gang, _) -> progress.notWritten(gang);
      case Event.MemberNotStarted(_, GangId gang, MemberId member, NodeId node, _) ->
          progress.notStarted(gang, member, node);
      case Event.OfGang said -> {
        for (Event.GangFact fact : said.facts()) {
          take(fact);
        }
        for (Event.GangFact fact : said.facts()) {
          hear(fact);
        }
      }
      case Event.NodeSeen(_, var node) -> {
        nodes.node(node.id());
        nodes.moved(node.id());
      }
      case Event.NodeGone(_, NodeId node) -> nodes.lost(node);
      case Event.StrangerSeen(_, _, NodeId node, _, _) -> nodes.node(node);
      case Event.Synced _ -> edits.cluster().gangs().forEach(this::recover);
      case Event.Tick(Instant now, _) -> expire(now);
      case Event.StrangerGone _,
          Event.MemberStarted _,
          Event.VictimsRecorded _,
          Event.VictimsNotRecorded _,
          Event.VictimTold _,
          Event.MemberNotEvicted _,
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
    }
  }

  /// Last, when what was promised is settled.
  private void hear(Event.GangFact fact) {
    if (fact instanceof Event.MemberSeen(_, Member member)) {
      late(member);
      progress.unheard(member);
    }
  }

  /// The gang has its plan again that an earlier run of ours wrote down.
  private void recover(Gang gang) {
    Cluster recovered = ReservationRecovery.of(edits.cluster(), gang, policies);
    if (recovered.reservations().contains(gang.id())) {
      edits.set(recovered, gang.id());
    }
  }

  // ---- How reservations end ----

  /// Ends the reservation of a gang that is whole. Where nodes refused pods by which it was to
  /// grow, it stays until its time is over, lest they be tried again and again. One that ran and of
  /// which nothing runs any more starts anew, whole or not at all.
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

  /// The gang's object is gone: nobody asks for it any more. Members that run are left alone. But
  /// objects are replaced, too: a gang that was half started has no more time than it had, if its
  /// object comes back.
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

  /// A member that is bound though nothing is promised to its gang: its binding was under way when
  /// the gang was released. The gang has as much time to become whole as any; else it is released
  /// again, with this member.
  private void late(Member member) {
    boolean isNew = member.isBound() && edits.earlier(member).filter(Member::isBound).isEmpty();
    if (!isNew || edits.before().promise(member).isPresent()) {
      return;
    }
    Gang gang = edits.cluster().gang(member.gang());
    if (!PendingMembers.isWhole(gang) && !edits.cluster().reservations().contains(gang.id())) {
      edits.put(policies.reservation(gang.id(), edits.cluster().now()));
    }
  }

  private void expire(Instant now) {
    for (Reservation reservation : edits.cluster().reservations()) {
      if (!now.isBefore(reservation.until())) {
        expire(reservation, edits.cluster().gang(reservation.gang()));
      }
    }
  }

  /// A gang that is whole, or was before it lost a member, keeps what it has; one that is not is
  /// released. The reservation of a gang with bound members stays, and with it its record, until
  /// they are gone: whatever is lost on the way, they are evicted again, even by the next process.
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
