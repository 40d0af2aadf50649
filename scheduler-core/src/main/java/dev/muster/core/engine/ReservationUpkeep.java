package dev.muster.core.engine;

import dev.muster.core.cluster.Books;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.DomainPath;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Keeps reservations true to the facts: what the facts fulfil ends, what they break is dropped so
/// that it can be planned anew, what takes too long is released.
final class ReservationUpkeep {
  /// After a first refusal by kube-scheduler, how long to wait before the next try.
  private static final Duration RETRY = Duration.ofSeconds(1);

  /// So many refusals by kube-scheduler and the node is shunned; a first one may be a stale cache.
  private static final int REFUSALS = 3;

  private final Cluster before;
  private final Policies policies;
  private final News news;
  private Cluster cluster;

  private ReservationUpkeep(Cluster before, Cluster cluster, Policies policies, News news) {
    this.before = before;
    this.cluster = cluster;
    this.policies = policies;
    this.news = news;
  }

  /// The facts with the reservations kept that the event may concern.
  ///
  /// @param before the image before the event
  static Cluster after(Event event, Cluster before, Cluster facts, Policies policies, News news) {
    ReservationUpkeep upkeep = new ReservationUpkeep(before, facts, policies, news);
    upkeep.take(event);
    return upkeep.cluster;
  }

  private void take(Event event) {
    switch (event) {
      case Event.ReservationWritten(_, GangId gang, int edition) -> written(gang, edition);
      case Event.ReservationNotWritten(_, GangId gang, _) -> notWritten(gang);
      case Event.MemberNotStarted(_, GangId gang, MemberId member, NodeId node, _) ->
          notStarted(gang, member, node);
      case Event.OfGang said -> {
        for (Event.GangFact fact : said.facts()) {
          take(fact);
        }
        for (Event.GangFact fact : said.facts()) {
          hear(fact);
        }
      }
      case Event.NodeSeen(_, var node) -> {
        node(node.id());
        moved(node.id());
      }
      case Event.NodeGone(_, NodeId node) -> lost(node);
      case Event.StrangerSeen(_, _, NodeId node, _, _) -> node(node);
      case Event.Synced _ -> cluster.gangs().forEach(this::recover);
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
        nomination(member);
        member.node().ifPresent(this::node);
        settle(member.gang());
      }
      case Event.MemberGone(_, GangId gang, _) -> settle(gang);
      case Event.GangSeen(_, GangSpec spec) -> {
        unrecorded(spec);
        settle(spec.id());
      }
      case Event.GangGone(_, GangId gang) -> withdrawn(gang);
    }
  }

  /// Last, when what was promised is settled.
  private void hear(Event.GangFact fact) {
    if (fact instanceof Event.MemberSeen(_, Member member)) {
      late(member);
      unheard(member);
    }
  }

  /// The gang has its plan again that an earlier run of ours wrote down.
  private void recover(Gang gang) {
    cluster = ReservationRecovery.of(cluster, gang, policies);
    if (cluster.reservations().contains(gang.id())) {
      news.touch(gang.id());
    }
  }

  private void note(Reservation reservation) {
    cluster = cluster.noted(reservation);
    news.touch(reservation.gang());
  }

  // ---- What became of what we asked ----

  private void written(GangId gang, int edition) {
    cluster
        .reservations()
        .get(gang)
        .filter(r -> r.written() == Written.ASKED && r.edition() == edition)
        .ifPresent(r -> note(r.as(Written.DONE, r.writeAt())));
  }

  private void notWritten(GangId gang) {
    cluster
        .reservations()
        .get(gang)
        .filter(r -> r.written() == Written.ASKED)
        .ifPresent(r -> note(r.as(Written.NOT_YET, r.retryAt(cluster.now()))));
  }

  /// A record from which somebody took what is promised is written again: a restart would know
  /// nothing else of it.
  private void unrecorded(GangSpec seen) {
    Optional<Reservation> held = cluster.reservations().get(seen.id());
    if (held.isEmpty() || held.get().written() != Written.DONE) {
      return;
    }
    var had = before.gang(seen.id()).spec().orElse(seen).recorded();
    var has = seen.recorded();
    if (held.get().promises().any(p -> p.isRecorded(had) && !p.isRecorded(has))) {
      note(held.get().as(Written.NOT_YET, cluster.now()));
    }
  }

  private void notStarted(GangId gang, MemberId member, NodeId node) {
    Optional<Reservation> held = cluster.reservations().get(gang);
    held.flatMap(r -> r.promises().get(member))
        .filter(promise -> promise.node().equals(node))
        .ifPresent(
            promise -> note(held.get().with(promise.failed(held.get().retryAt(cluster.now())))));
  }

  // ---- What kube-scheduler makes of a nomination ----

  /// A nomination that was there and is gone again was refused: kube-scheduler clears it when it
  /// cannot follow.
  private void nomination(Member member) {
    Optional<Promise> promise = cluster.promise(member);
    if (promise.isEmpty() || !(member.state() instanceof MemberState.Waiting waiting)) {
      return;
    }
    Reservation reservation = cluster.reservations().get(member.gang()).orElseThrow();
    if (waiting.nominated().filter(promise.get().node()::equals).isPresent()) {
      note(reservation.with(promise.get().seen()));
    } else if (promise.get().stage() == Promise.Stage.SEEN && waiting.refused()) {
      refused(reservation, promise.get());
    }
  }

  /// A pod that is refused before it was seen nominated was asked for too early, or is one that was
  /// to start without: it is told at once.
  private void unheard(Member member) {
    if (!isRefused(member) || was(member).filter(ReservationUpkeep::isRefused).isPresent()) {
      return;
    }
    Optional<Promise> promise = cluster.promise(member);
    if (promise.isPresent() && promise.get().stage() == Promise.Stage.TOLD) {
      Reservation held = cluster.reservations().get(member.gang()).orElseThrow();
      note(held.with(promise.get().failed(cluster.now())));
    }
  }

  private Optional<Member> was(Member member) {
    return before.gang(member.gang()).members().get(member.id());
  }

  private static boolean isRefused(Member member) {
    return member.state() instanceof MemberState.Waiting(var nominated, boolean refused)
        && refused
        && nominated.isEmpty();
  }

  private void refused(Reservation reservation, Promise promise) {
    Promise again = promise.refused(cluster.now().plus(RETRY.multipliedBy(1 + promise.refusals())));
    if (again.refusals() < REFUSALS) {
      note(reservation.with(again));
    } else {
      drop(reservation.shunning(promise.node()), promise);
    }
  }

  // ---- What the nodes can still bear ----

  /// Drops the promises that the node cannot keep any more.
  private void node(NodeId id) {
    Optional<NodeState> state = cluster.nodes().get(id);
    if (state.isEmpty() || state.get().promises().isEmpty()) {
      return;
    }
    for (MemberId pod : state.get().promises().keys()) {
      check(
          pod,
          cluster.nodes().get(id).orElseThrow()); // one promise less may be enough for the rest
    }
  }

  private void check(MemberId pod, NodeState state) {
    for (Reservation held : promisors(pod)) {
      promise(held, pod, state.id())
          .filter(_ -> !ReservationRecovery.bears(cluster, state, held.gang(), pod))
          .ifPresent(promise -> drop(held, promise));
    }
  }

  private static Optional<Promise> promise(Reservation held, MemberId pod, NodeId node) {
    return held.promises().get(pod).filter(promise -> promise.node().equals(node));
  }

  /// The reservations that may promise something to the pod. The books know the gang of each that
  /// asks for GPUs; others are rare.
  private Iterable<Reservation> promisors(MemberId pod) {
    Optional<Books.Charge> charge = cluster.books().charges().get(pod);
    return charge.isPresent()
        ? cluster.reservations().get(charge.get().gang()).stream().toList()
        : cluster.reservations();
  }

  private void lost(NodeId node) {
    for (MemberId pod :
        before.nodes().get(node).map(NodeState::promises).orElse(SortedTable.empty()).keys()) {
      for (Reservation held : promisors(pod)) {
        promise(held, pod, node).ifPresent(promise -> drop(held, promise));
      }
    }
  }

  /// A node that lies in another domain now: of a gang that must stay inside one, what is promised
  /// there is planned anew, or all of it where a mate runs there.
  private void moved(NodeId node) {
    DomainPath path = cluster.nodes().get(node).orElseThrow().path();
    if (before.nodes().get(node).filter(old -> !old.path().equals(path)).isEmpty()) {
      return;
    }
    for (Reservation held : cluster.reservations()) {
      Gang gang = cluster.gang(held.gang());
      boolean binding = gang.wishes().topology().isBinding();
      boolean near = gang.bound().stream().anyMatch(m -> m.node().filter(node::equals).isPresent());
      for (Promise promise : held.promises()) {
        if (binding && (near || promise.node().equals(node))) {
          drop(cluster.reservations().get(gang.id()).orElseThrow(), promise);
        }
      }
    }
  }

  private void drop(Reservation reservation, Promise promise) {
    cluster = cluster.with(reservation.without(promise.member()).replanned(cluster.now()));
    news.touch(reservation.gang());
  }

  // ---- How reservations end ----

  /// Ends the reservation of a gang that is whole. Where nodes refused pods by which it was to
  /// grow, it stays until its time is over, lest they be tried again and again. One that ran and of
  /// which nothing runs any more starts anew, whole or not at all.
  private void settle(GangId id) {
    Optional<Reservation> held = cluster.reservations().get(id);
    if (held.isPresent()) {
      settle(held.get(), cluster.gang(id));
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
      cluster = cluster.without(gang.id());
      news.touch(gang.id());
    } else if (isStarted(gang) && !held.ran() && !held.releasing()) {
      cluster = cluster.noted(held.ofRunning());
    }
  }

  private static boolean isStarted(Gang gang) {
    return gang.spec().isPresent() && gang.boundCount() > 0 && isWhole(gang);
  }

  private static boolean isOver(Reservation reservation, Gang gang) {
    boolean leaves = reservation.releasing() || gang.spec().isEmpty();
    return leaves ? gang.boundCount() == 0 : reservation.ran() || isWhole(gang);
  }

  static boolean isWhole(Gang gang) {
    boolean started = gang.boundCount() + gang.succeededCount() >= gang.minCount();
    return started || gang.members().count(m -> m.isBound() || m.wantsNode()) == 0;
  }

  /// The gang's object is gone: nobody asks for it any more. Members that run are left alone. But
  /// objects are replaced, too: a gang that was half started has no more time than it had, if its
  /// object comes back.
  private void withdrawn(GangId id) {
    Optional<Reservation> held = cluster.reservations().get(id);
    Gang old = before.gang(id);
    if (held.isPresent()) {
      boolean half = old.boundCount() > 0 && !isWhole(old) && !held.get().ran();
      cluster = half ? cluster.with(held.get().unplanned()) : cluster.without(id);
      news.touch(id);
    }
  }

  /// A member that is bound though nothing is promised to its gang: its binding was under way when
  /// the gang was released. The gang has as much time to become whole as any; else it is released
  /// again, with this member.
  private void late(Member member) {
    boolean isNew = member.isBound() && was(member).filter(Member::isBound).isEmpty();
    if (!isNew || before.promise(member).isPresent()) {
      return;
    }
    Gang gang = cluster.gang(member.gang());
    if (!isWhole(gang) && !cluster.reservations().contains(gang.id())) {
      cluster = cluster.with(opened(cluster, gang, policies));
      news.touch(gang.id());
    }
  }

  /// A reservation without promises for the gang, with all its time to become whole.
  static Reservation opened(Cluster cluster, Gang gang, Policies policies) {
    Instant until = cluster.now().plus(policies.bindTimeout());
    return Reservation.open(gang.id(), cluster.now(), until);
  }

  private void expire(Instant now) {
    for (Reservation reservation : cluster.reservations()) {
      if (!now.isBefore(reservation.until())) {
        expire(reservation, cluster.gang(reservation.gang()));
      }
    }
  }

  /// A gang that is whole, or was before it lost a member, keeps what it has; one that is not is
  /// released. The reservation of a gang with bound members stays, and with it its record, until
  /// they are gone: whatever is lost on the way, they are evicted again, even by the next process.
  private void expire(Reservation reservation, Gang gang) {
    boolean keeps = (isWhole(gang) || reservation.ran()) && !reservation.releasing();
    news.touch(gang.id());
    if (keeps && gang.boundCount() > 0 && !reservation.promises().isEmpty()) {
      Instant again = cluster.now().plus(policies.bindTimeout());
      cluster = cluster.with(reservation.restingUntil(again));
    } else if (keeps) {
      cluster = cluster.without(gang.id());
    } else {
      Released released = release(cluster, gang, reservation);
      cluster = released.cluster();
      news.add(released.decision());
    }
  }

  /// A gang that is given up.
  record Released(Cluster cluster, Decision.Release decision) {}

  /// Gives up a gang that holds this reservation, or would hold it.
  static Released release(Cluster cluster, Gang gang, Reservation reservation) {
    List<MemberId> bound = gang.bound().stream().map(Member::id).toList();
    Cluster ended = cluster.without(gang.id());
    if (!bound.isEmpty()) {
      ended = ended.with(reservation.releasedUntil(cluster.now().plus(Effects.EVICT_AGAIN)));
    }
    Duration time = Duration.between(reservation.since(), cluster.now());
    Veto late = new Veto.NotBoundInTime(time, gang.boundCount(), gang.minCount());
    return new Released(
        ended, new Decision.Release(gang.id(), bound, Explanation.of(cluster, late)));
  }
}
