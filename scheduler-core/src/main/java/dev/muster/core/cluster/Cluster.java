package dev.muster.core.cluster;

import dev.muster.core.cluster.NodeState.Occupant;
import dev.muster.core.cluster.Seats.Seat;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Topology;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// All that is true now: an immutable image, of which every event makes the next one.
///
/// Facts are taken as they are said, in whatever order they come: a pod may be bound to a node that
/// was not seen yet (what it takes is kept and counted once the node appears), a gang's pods may
/// come before the gang.
///
/// @param version how many events made this image
/// @param now the time of the newest event; it never runs backwards
/// @param synced whether everything that exists was seen once
/// @param topology the levels of the fabric
/// @param fabric all nodes, in the tree of topology domains
/// @param nodes all nodes by name; the same states that the fabric holds
/// @param gangs all gangs of which anything is left
/// @param reservations what is promised, by gang
/// @param seats where each pod that holds resources sits, the pods on nodes not seen yet included
/// @param holds what is kept for gangs that cannot use it yet, by gang
/// @param mix the shapes of the members of all gangs, counted
public record Cluster(
    long version,
    Instant now,
    boolean synced,
    Topology topology,
    Domain fabric,
    SortedTable<NodeId, NodeState> nodes,
    SortedTable<GangId, Gang> gangs,
    SortedTable<GangId, Reservation> reservations,
    Seats seats,
    SortedTable<GangId, Hold> holds,
    ExpectedMix mix) {
  /// The image before anything was seen.
  public static Cluster empty(Topology topology) {
    return new Cluster(
        0,
        Instant.EPOCH,
        false,
        topology,
        Domain.empty(DomainPath.ROOT),
        SortedTable.empty(),
        SortedTable.empty(),
        SortedTable.empty(),
        Seats.NONE,
        SortedTable.empty(),
        ExpectedMix.NONE);
  }

  /// The gang with this id; one without spec and members when nothing of it was seen.
  public Gang gang(GangId id) {
    return gangs.get(id).orElseGet(() -> Gang.unseen(id));
  }

  /// Where the gang stands.
  public GangPhase phase(GangId id) {
    return gang(id).phase(reservations.contains(id));
  }

  /// The member's promise, if its gang holds a reservation with one for it.
  public Optional<Promise> promise(Member member) {
    return reservations.get(member.gang()).flatMap(r -> r.promises().get(member.id()));
  }

  /// The image after the event's facts; an outcome or a tick only moves the time.
  public Cluster apply(Event event) {
    Cluster next = turned(event.at());
    return switch (event) {
      case Event.NodeSeen(_, Node node) -> next.seen(node);
      case Event.NodeGone(_, NodeId node) -> next.lost(node);
      case Event.GangSeen(_, var spec) -> next.respecified(spec.id(), gang -> gang.with(spec));
      case Event.GangGone(_, GangId gang) -> next.respecified(gang, Gang::withoutSpec);
      case Event.MemberSeen(_, Member member) -> next.seen(member);
      case Event.MemberGone(_, GangId gang, MemberId member) -> next.gone(gang, member);
      case Event.StrangerSeen(_, MemberId pod, NodeId node, var resources, int gpus) ->
          next.seated(pod, Optional.of(new Seat(node, new Occupant(resources, gpus))));
      case Event.StrangerGone(_, MemberId pod) -> next.seated(pod, Optional.empty());
      case Event.Synced _ ->
          new Cluster(
              next.version,
              next.now,
              true,
              topology,
              fabric,
              nodes,
              gangs,
              reservations,
              seats,
              holds,
              mix);
      case Event.Tick _,
          Event.ReservationWritten _,
          Event.ReservationNotWritten _,
          Event.MemberStarted _,
          Event.MemberNotStarted _ ->
          next;
    };
  }

  private Cluster turned(Instant at) {
    Instant later = at.isAfter(now) ? at : now;
    return new Cluster(
        version + 1,
        later,
        synced,
        topology,
        fabric,
        nodes,
        gangs,
        reservations,
        seats,
        holds,
        mix);
  }

  private Cluster seen(Node node) {
    var path = topology.locate(node.labels());
    Optional<NodeState> before = nodes.get(node.id());
    if (before.isPresent()) {
      return replaced(before, before.map(state -> state.with(node, path)));
    }
    return replaced(before, Optional.of(furnished(NodeState.empty(node, path))))
        .with(seats.unhousing(node.id(), SortedTable.empty()));
  }

  /// A node that appears finds the pods and claims that were there before it.
  private NodeState furnished(NodeState bare) {
    NodeState state = bare;
    for (var pod : seats.pods(bare.id()).differences(SortedTable.empty())) {
      state = state.occupiedBy(pod.key(), pod.now().orElseThrow());
    }
    for (Hold hold : holds) {
      Optional<Hold.Claim> claim = hold.claims().get(bare.id());
      state = claim.isPresent() ? state.claimedBy(hold.gang(), claim.get()) : state;
    }
    return state;
  }

  private Cluster lost(NodeId node) {
    Optional<NodeState> before = nodes.get(node);
    return before
        .map(state ->
            replaced(before, Optional.empty()).with(seats.unhousing(node, state.occupants())))
        .orElse(this);
  }

  private Cluster seen(Member said) {
    Gang before = gang(said.gang());
    Member member = before.sharing(said);
    Gang after = before.with(member);
    Cluster next = changed(after, uncounted(before, member.id()).plus(Shape.of(member, after)));
    Occupant share = Occupant.of(member.request());
    next = next.seated(member.id(), member.node().map(node -> new Seat(node, share)));
    return member.wantsNode() ? next : next.withoutPromise(member.gang(), member.id());
  }

  private Cluster gone(GangId gang, MemberId member) {
    Gang before = gang(gang);
    return changed(before.without(member), uncounted(before, member))
        .seated(member, Optional.empty())
        .withoutPromise(gang, member);
  }

  private Cluster respecified(GangId id, UnaryOperator<Gang> change) {
    Gang before = gang(id);
    Gang after = change.apply(before);
    return changed(after, gpus(before).equals(gpus(after)) ? mix : recounted(before, after));
  }

  private static Optional<GpuChoice> gpus(Gang gang) {
    return gang.spec().map(spec -> spec.wishes().gpus());
  }

  private ExpectedMix recounted(Gang before, Gang after) {
    ExpectedMix counts = mix;
    for (Member member : before.members()) {
      counts = counts.minus(Shape.of(member, before)).plus(Shape.of(member, after));
    }
    return counts;
  }

  private ExpectedMix uncounted(Gang gang, MemberId member) {
    return gang.members().get(member).map(m -> mix.minus(Shape.of(m, gang))).orElse(mix);
  }

  private Cluster changed(Gang after, ExpectedMix counts) {
    boolean empty = after.spec().isEmpty() && after.members().isEmpty();
    var kept = empty ? gangs.without(after.id()) : gangs.with(after.id(), after);
    return new Cluster(
        version, now, synced, topology, fabric, nodes, kept, reservations, seats, holds, counts);
  }

  private Cluster seated(MemberId pod, Optional<Seat> seat) {
    Optional<Seat> before = seats.get(pod);
    if (before.equals(seat)) {
      return this;
    }
    Cluster risen = before.map(old -> risen(pod, old.node())).orElse(this);
    Cluster next = seat.map(taken -> risen.sitting(pod, taken)).orElse(risen);
    return next.with(next.seats.with(pod, seat));
  }

  private Cluster risen(MemberId pod, NodeId node) {
    return nodes.contains(node)
        ? on(node, state -> state.leftBy(pod))
        : with(seats.unhousedLeft(pod, node));
  }

  private Cluster sitting(MemberId pod, Seat seat) {
    return nodes.contains(seat.node())
        ? on(seat.node(), state -> state.occupiedBy(pod, seat.share()))
        : with(seats.unhousing(pod, seat));
  }

  private Cluster with(Seats other) {
    return new Cluster(
        version, now, synced, topology, fabric, nodes, gangs, reservations, other, holds, mix);
  }

  // ---- Promises ----

  /// Its members that wait for a node and have none promised, by rank.
  public List<Member> unpromised(Gang gang) {
    SortedTable<MemberId, Promise> promises = promisesOf(gang.id());
    if (promises.size() == gang.wantingCount()) { // only members that want a node have promises
      return List.of();
    }
    return gang.waiting().stream().filter(member -> !promises.contains(member.id())).toList();
  }

  /// The image with a reservation made, or replaced by another for the same gang. What both promise
  /// stays where it is; of what is new, large parts of GPUs come first, as in the search.
  public Cluster with(Reservation reservation) {
    Gang gang = gang(reservation.gang());
    var moved =
        reservation.promises().differences(promisesOf(gang.id())).stream()
            .filter(promise -> !node(promise.before()).equals(node(promise.now())))
            .toList();
    Cluster next = this;
    for (var promise : moved) {
      next = promise.before().map(next::without).orElse(next);
    }
    var fresh = moved.stream().flatMap(promise -> promise.now().stream());
    for (Promise promise :
        fresh.sorted(Comparator.comparingInt(promise -> -milli(gang, promise))).toList()) {
      Member member = gang.members().get(promise.member()).orElseThrow();
      next = next.on(promise.node(), state -> state.promising(member));
    }
    return next.holding(reservations.with(gang.id(), reservation));
  }

  private static Optional<NodeId> node(Optional<Promise> promise) {
    return promise.map(Promise::node);
  }

  private static int milli(Gang gang, Promise promise) {
    return gang.members().get(promise.member()).orElseThrow().request().gpuMilli();
  }

  private Cluster without(Promise promise) {
    return on(promise.node(), state -> state.unpromisedTo(promise.member()));
  }

  /// The image with the gang's reservation, if any, ended.
  public Cluster without(GangId gang) {
    Cluster next = this;
    for (Promise promise : promisesOf(gang)) {
      next = next.without(promise);
    }
    return next.holding(reservations.without(gang));
  }

  private SortedTable<MemberId, Promise> promisesOf(GangId gang) {
    return reservations.get(gang).map(Reservation::promises).orElse(SortedTable.empty());
  }

  /// The image with a reservation's bookkeeping changed; its members and nodes stay what they are.
  public Cluster noted(Reservation reservation) {
    return holding(reservations.with(reservation.gang(), reservation));
  }

  /// A member that is bound, leaves or is gone needs no promise.
  private Cluster withoutPromise(GangId gang, MemberId member) {
    Optional<Reservation> held = reservations.get(gang);
    Optional<Promise> promise = held.flatMap(r -> r.promises().get(member));
    if (promise.isEmpty()) {
      return this;
    }
    return on(promise.get().node(), state -> state.unpromisedTo(member))
        .holding(reservations.with(gang, held.orElseThrow().without(member)));
  }

  private Cluster holding(SortedTable<GangId, Reservation> held) {
    return new Cluster(
        version, now, synced, topology, fabric, nodes, gangs, held, seats, holds, mix);
  }

  /// The image as it would be without the pod on its node.
  public Cluster vacatedBy(MemberId pod) {
    return seated(pod, Optional.empty());
  }

  /// The image with room kept for a gang, instead of any that was kept for it before.
  public Cluster with(Hold hold) {
    Cluster next = withoutHold(hold.gang());
    for (NodeId node : hold.claims().keys()) {
      Hold.Claim claim = hold.claims().get(node).orElseThrow();
      next = next.on(node, state -> state.claimedBy(hold.gang(), claim));
    }
    return next.keeping(holds.with(hold.gang(), hold));
  }

  /// The image without any room kept for the gang.
  public Cluster withoutHold(GangId gang) {
    Optional<Hold> hold = holds.get(gang);
    Cluster next = this;
    for (NodeId node : hold.map(h -> h.claims().keys()).orElse(List.of())) {
      next = next.on(node, state -> state.unclaimedBy(gang));
    }
    return hold.isEmpty() ? this : next.keeping(holds.without(gang));
  }

  private Cluster keeping(SortedTable<GangId, Hold> kept) {
    return new Cluster(
        version, now, synced, topology, fabric, nodes, gangs, reservations, seats, kept, mix);
  }

  private Cluster on(NodeId node, UnaryOperator<NodeState> change) {
    Optional<NodeState> before = nodes.get(node);
    return before.isEmpty() ? this : replaced(before, before.map(change));
  }

  private Cluster replaced(Optional<NodeState> before, Optional<NodeState> after) {
    NodeId id = after.or(() -> before).orElseThrow().id();
    boolean moved =
        before.isPresent() && after.isPresent() && !before.get().path().equals(after.get().path());
    Domain grown =
        moved
            ? fabric.replaced(before, Optional.empty()).replaced(Optional.empty(), after)
            : fabric.replaced(before, after);
    return new Cluster(
        version,
        now,
        synced,
        topology,
        grown,
        nodes.update(id, (_, _) -> after),
        gangs,
        reservations,
        seats,
        holds,
        mix);
  }
}
