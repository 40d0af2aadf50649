package dev.muster.core.cluster;

import dev.muster.core.cluster.NodeState.Occupant;
import dev.muster.core.cluster.Seats.Seat;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
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
/// @param books who holds how many GPUs for which queue, and who asks for more
@SuppressWarnings("ReferenceEquality") // unchanged books are the same object
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
    ExpectedMix mix,
    Books books) {
  /// In which half of the GPU time used is forgotten, where nobody says otherwise.
  public static final Duration HALF_LIFE = Duration.ofDays(7);

  /// The image before anything was seen.
  public static Cluster empty(Topology topology) {
    return empty(topology, HALF_LIFE);
  }

  /// The image before anything was seen.
  ///
  /// @param halfLife in which half of the GPU time that queues have used is forgotten
  public static Cluster empty(Topology topology, Duration halfLife) {
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
        ExpectedMix.NONE,
        Books.blank(halfLife));
  }

  /// The gang with this id; one without spec and members when nothing of it was seen.
  public Gang gang(GangId id) {
    return gangs.get(id).orElseGet(() -> Gang.unseen(id));
  }

  /// Where the gang stands.
  public GangPhase phase(GangId id) {
    return gang(id).phase(reservations.get(id).filter(r -> !r.rests()).isPresent());
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
      case Event.GangSeen(_, var spec) -> next.respecified(spec.id(), Optional.of(spec));
      case Event.GangGone(_, GangId gang) -> next.respecified(gang, Optional.empty());
      case Event.MemberSeen(_, Member member) -> next.seen(member);
      case Event.MemberGone(_, GangId gang, MemberId member) -> next.gone(gang, member);
      case Event.StrangerSeen(_, MemberId pod, NodeId node, var resources, int gpus) ->
          next.seated(pod, Optional.of(new Seat(node, new Occupant(resources, gpus))));
      case Event.StrangerGone(_, MemberId pod) -> next.seated(pod, Optional.empty());
      case Event.Synced _ ->
          next.redrawn(d -> {
            d.synced = true;
            d.books = synced ? books : books.opened(gangs, next.now);
          });
      case Event.Tick _, Event.PolicyChanged _, Event.Outcome _ -> next;
    };
  }

  private Cluster turned(Instant at) {
    Instant later = at.isAfter(now) ? at : now;
    return redrawn(d -> {
      d.version = version + 1;
      d.now = later;
      d.books = books.passing(now, later);
    });
  }

  private Cluster seen(Node node) {
    var path = topology.locate(node.labels());
    Optional<NodeState> before = nodes.get(node.id());
    NodeState after =
        before
            .map(state -> state.with(node, path))
            .orElseGet(() -> furnished(NodeState.empty(node, path)));
    Cluster next =
        replaced(before, Optional.of(after)).with(seats.unhousing(node.id(), SortedTable.empty()));
    boolean modelled = before.filter(old -> old.node().model().equals(node.model())).isPresent();
    return modelled ? next : next.with(next.books.modelled(after, now));
  }

  /// A node that appears finds the pods and claims that were there before it.
  private NodeState furnished(NodeState bare) {
    NodeState state = bare;
    for (var pod : seats.pods(bare.id()).differences(SortedTable.empty())) {
      state = state.occupiedBy(pod.key(), pod.now().orElseThrow());
    }
    for (Hold hold : holds) {
      state = state.claimedBy(hold.gang(), hold.claims().get(bare.id()));
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
    Cluster next = changed(after, mix.recounting(before, after, member.id()));
    Occupant share = Occupant.of(member.request());
    Optional<Seat> seat = member.node().map(node -> new Seat(node, share));
    if (next.isAsPromised(member)) {
      next = next.settling(member, seat.orElseThrow());
    } else {
      next = next.seated(member.id(), seat);
      next = member.wantsNode() ? next : next.withoutPromise(member.gang(), member.id());
    }
    return next.booked(member.gang(), List.of(member.id()));
  }

  /// Whether a pod that had no node was bound where it was promised to go.
  private boolean isAsPromised(Member member) {
    Optional<NodeId> promised = promise(member).map(Promise::node);
    return promised.isPresent()
        && promised.equals(member.node())
        && nodes.contains(promised.get())
        && seats.get(member.id()).isEmpty();
  }

  /// The seat takes the place of the promise: one change of the node, which leaves free what was.
  private Cluster settling(Member member, Seat seat) {
    MemberId pod = member.id();
    Reservation held = reservations.get(member.gang()).orElseThrow();
    Cluster next = on(seat.node(), s -> s.occupiedBy(pod, seat.share()).unpromisedTo(pod));
    return next.with(next.seats.with(pod, Optional.of(seat)))
        .holding(reservations.with(member.gang(), held.without(pod)));
  }

  private Cluster gone(GangId gang, MemberId member) {
    Gang before = gang(gang);
    Gang after = before.without(member);
    return changed(after, mix.recounting(before, after, member))
        .seated(member, Optional.empty())
        .withoutPromise(gang, member)
        .booked(gang, List.of(member));
  }

  private Cluster respecified(GangId id, Optional<GangSpec> said) {
    Gang before = gang(id);
    Gang after = before.with(said, books.inUse(id) > 0);
    return changed(after, mix.recounting(before, after)).booked(id, List.of());
  }

  private Cluster changed(Gang after, ExpectedMix counts) {
    boolean empty = after.spec().isEmpty() && after.members().isEmpty();
    var kept = empty ? gangs.without(after.id()) : gangs.with(after.id(), after);
    return redrawn(d -> {
      d.gangs = kept;
      d.mix = counts;
    });
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

  Cluster with(Seats other) {
    return redrawn(d -> d.seats = other);
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
    SortedTable<MemberId, Promise> dropped = promisesOf(reservation.gang());
    Cluster next = without(dropped, reservation.promises());
    for (Promise promise : reservation.beyond(dropped, gang)) {
      Member member = gang.members().get(promise.member()).orElseThrow();
      next = next.on(promise.node(), state -> state.promising(member));
    }
    List<MemberId> pods = new ArrayList<>(dropped.keys());
    pods.addAll(reservation.promises().keys());
    return next.holding(reservations.with(reservation.gang(), reservation))
        .booked(reservation.gang(), pods);
  }

  /// The image with the gang's reservation, if any, ended.
  public Cluster without(GangId gang) {
    SortedTable<MemberId, Promise> promises = promisesOf(gang);
    return without(promises, SortedTable.empty())
        .holding(reservations.without(gang))
        .booked(gang, promises.keys());
  }

  private SortedTable<MemberId, Promise> promisesOf(GangId gang) {
    return reservations.get(gang).map(Reservation::promises).orElse(SortedTable.empty());
  }

  private Cluster without(SortedTable<MemberId, Promise> old, SortedTable<MemberId, Promise> kept) {
    Cluster next = this;
    for (Promise promise : old) {
      next =
          promise.isAmong(kept)
              ? next
              : next.on(promise.node(), state -> state.unpromisedTo(promise.member()));
    }
    return next;
  }

  /// The image with a reservation's bookkeeping changed; its members and nodes stay what they are.
  public Cluster noted(Reservation reservation) {
    return holding(reservations.with(reservation.gang(), reservation));
  }

  /// A member that is bound, leaves or is gone needs no promise.
  Cluster withoutPromise(GangId gang, MemberId member) {
    Optional<Reservation> held = reservations.get(gang);
    Optional<Promise> promise = held.flatMap(r -> r.promises().get(member));
    if (promise.isEmpty()) {
      return this;
    }
    return on(promise.get().node(), state -> state.unpromisedTo(member))
        .holding(reservations.with(gang, held.orElseThrow().without(member)));
  }

  private Cluster holding(SortedTable<GangId, Reservation> held) {
    return redrawn(d -> d.reservations = held);
  }

  // ---- Books ----

  /// The image in which the gang is without hope, or has hope again. A gang that would not start
  /// whatever came free claims nothing of what its queue is guaranteed. It stays so until it is
  /// told otherwise, or nothing is left of it.
  public Cluster hopeless(GangId id, boolean without) {
    boolean hopeless = without && gangs.contains(id);
    Books seen = books.seen(gang(id), reservations.get(id), hopeless, now);
    return seen == books ? this : with(seen);
  }

  /// The image with the gang and these of its pods accounted as they now stand.
  private Cluster booked(GangId id, Iterable<MemberId> pods) {
    Gang gang = gang(id);
    Books next = books;
    for (MemberId pod : pods) {
      next = next.charged(gang, pod, Books.charge(this, gang, pod), now);
    }
    boolean moves = gang.staying().isPresent() && next.inUse(id) == 0;
    Gang home = moves ? gang.moved() : gang;
    Books seen = next.seen(home, reservations.get(id), now);
    if (seen == books && !moves) {
      return this;
    }
    return redrawn(d -> {
      d.gangs = moves ? gangs.with(id, home) : gangs;
      d.books = seen;
    });
  }

  Cluster with(Books changed) {
    return redrawn(d -> d.books = changed);
  }

  // ---- Holds ----

  /// The image with room kept for a gang, instead of any that was kept for it before.
  public Cluster with(Hold hold) {
    var before = holds.get(hold.gang()).map(Hold::claims).orElse(SortedTable.empty());
    Cluster next = this;
    for (var claim : hold.claims().differences(before)) {
      next = next.on(claim.key(), node -> node.claimedBy(hold.gang(), claim.now()));
    }
    return next.keeping(holds.with(hold.gang(), hold));
  }

  /// The image without any room kept for the gang.
  public Cluster withoutHold(GangId gang) {
    Optional<Hold> hold = holds.get(gang);
    Cluster next = this;
    for (NodeId node : hold.map(h -> h.claims().keys()).orElse(List.of())) {
      next = next.on(node, state -> state.claimedBy(gang, Optional.empty()));
    }
    return hold.isEmpty() ? this : next.keeping(holds.without(gang));
  }

  private Cluster keeping(SortedTable<GangId, Hold> kept) {
    return redrawn(d -> d.holds = kept);
  }

  Cluster on(NodeId node, UnaryOperator<NodeState> change) {
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
    return redrawn(d -> {
      d.fabric = grown;
      d.nodes = nodes.update(id, (_, _) -> after);
      d.books = books.stocked(before, after);
    });
  }

  /// The image with some of it changed.
  private Cluster redrawn(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.image();
  }
}
