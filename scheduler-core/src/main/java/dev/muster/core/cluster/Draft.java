package dev.muster.core.cluster;

import dev.muster.core.cluster.NodeState.Occupant;
import dev.muster.core.cluster.Seats.Seat;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.Topology;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// An image while it is being made of another one: every way in which what is true can change, and
/// what follows from it for nodes, seats and books. Whoever makes an image has a draft to himself,
/// and lets go of it with the [image][#image].
///
/// Facts are taken as they are said, in whatever order they come: a pod may be bound to a node that
/// was not seen yet (what it takes is kept and counted once the node appears), a gang's pods may
/// come before the gang.
final class Draft {
  private final Topology topology;
  private long version;
  private Instant now;
  private boolean synced;
  private Domain fabric;
  private SortedTable<NodeId, NodeState> nodes;
  private final GangsInHand gangs;
  private SortedTable<GangId, Reservation> reservations;
  private Seats seats;
  private SortedTable<GangId, Hold> holds;
  private ExpectedMix mix;
  private Books books;

  Draft(Cluster from) {
    topology = from.topology();
    version = from.version();
    now = from.now();
    synced = from.synced();
    fabric = from.fabric();
    nodes = from.nodes();
    gangs = new GangsInHand(from.gangs());
    reservations = from.reservations();
    seats = from.seats();
    holds = from.holds();
    mix = from.mix();
    books = from.books();
  }

  Cluster image() {
    return new Cluster(
        version,
        now,
        synced,
        topology,
        fabric,
        nodes,
        gangs.all(),
        reservations,
        seats,
        holds,
        mix,
        books);
  }

  // ---- Facts ----

  /// Takes the event's facts in; an outcome or a tick only moves the time.
  void take(Event event) {
    version++;
    if (event.at().isAfter(now)) {
      books = books.passing(now, event.at());
      now = event.at();
    }
    switch (event) {
      case Event.NodeSeen(_, Node node) -> seen(node);
      case Event.NodeGone(_, NodeId node) -> lost(node);
      case Event.OfGang said -> take(said);
      case Event.StrangerSeen(_, MemberId pod, NodeId node, var resources, int gpus) ->
          seat(pod, Optional.of(new Seat(node, new Occupant(resources, gpus))));
      case Event.StrangerGone(_, MemberId pod) -> seat(pod, Optional.empty());
      case Event.Synced _ -> {
        books = synced ? books : books.opened(gangs.all(), now);
        synced = true;
      }
      case Event.Tick _, Event.PolicyChanged _, Event.Outcome _ -> {}
    }
  }

  /// What is said of the gang's pods is accounted at once; but before anything is said of its
  /// object, since its queue hangs on what they hold.
  private void take(Event.OfGang said) {
    List<MemberId> pods = new ArrayList<>();
    for (Event.GangFact fact : said.facts()) {
      switch (fact) {
        case Event.GangSeen(_, GangSpec spec) -> declared(spec.id(), Optional.of(spec), pods);
        case Event.GangGone(_, GangId gang) -> declared(gang, Optional.empty(), pods);
        case Event.MemberSeen(_, Member member) -> {
          seen(member);
          pods.add(member.id());
        }
        case Event.MemberGone(_, GangId gang, MemberId member) -> {
          gone(gang, member);
          pods.add(member);
        }
      }
    }
    book(said.gang(), pods);
  }

  private void seen(Node node) {
    var path = topology.locate(node.labels());
    Optional<NodeState> before = nodes.get(node.id());
    NodeState after =
        before
            .map(state -> state.with(node, path))
            .orElseGet(() -> furnished(NodeState.empty(node, path)));
    replace(before, Optional.of(after));
    seats = seats.unhousing(node.id(), SortedTable.empty());
    if (before.filter(old -> old.node().model().equals(node.model())).isEmpty()) {
      books = books.modelled(after, now);
    }
  }

  /// A node that appears finds the pods and claims that were there before it.
  private NodeState furnished(NodeState bare) {
    NodeState state = bare;
    for (var pod : seats.pods(bare.id()).entries()) {
      state = state.occupiedBy(pod.key(), pod.value());
    }
    for (Hold hold : holds) {
      state = state.claimedBy(hold.gang(), hold.claims().get(bare.id()));
    }
    return state;
  }

  private void lost(NodeId node) {
    Optional<NodeState> before = nodes.get(node);
    if (before.isPresent()) {
      replace(before, Optional.empty());
      seats = seats.unhousing(node, before.get().occupants());
    }
  }

  private void seen(Member said) {
    Gang before = gangs.get(said.gang());
    Member member = before.sharing(said);
    Gang after = before.with(member);
    gangs.put(after);
    mix = mix.recounting(before, after, member.id());
    if (isAsPromised(member)) {
      settle(member, Seat.of(member).orElseThrow());
    } else {
      seat(member.id(), Seat.of(member));
      if (!member.wantsNode()) {
        endPromise(member.gang(), member.id());
      }
    }
  }

  /// Whether a pod that had no node was bound where it was promised to go.
  private boolean isAsPromised(Member member) {
    Optional<NodeId> promised = promise(member).map(Promise::node);
    return promised.isPresent()
        && promised.equals(member.node())
        && nodes.contains(promised.get())
        && seats.get(member.id()).isEmpty();
  }

  private Optional<Promise> promise(Member member) {
    return promisesOf(member.gang()).get(member.id());
  }

  /// The seat takes the place of the promise: one change of the node, which leaves free what was.
  private void settle(Member member, Seat seat) {
    MemberId pod = member.id();
    Optional<NodeState> node = nodes.get(seat.node());
    replace(node, Optional.of(node.orElseThrow().settledBy(pod, seat.share())));
    seats = seats.with(pod, Optional.of(seat));
    note(reservations.get(member.gang()).orElseThrow().without(pod));
  }

  private void gone(GangId gang, MemberId member) {
    Gang before = gangs.get(gang);
    Gang after = before.without(member);
    gangs.put(after);
    mix = mix.recounting(before, after, member);
    seat(member, Optional.empty());
    endPromise(gang, member);
  }

  private void declared(GangId id, Optional<GangSpec> said, List<MemberId> unbooked) {
    if (!unbooked.isEmpty()) {
      book(id, unbooked);
      unbooked.clear();
    }
    Gang before = gangs.get(id);
    boolean holds = before.spec().isPresent() && books.inUse(id) > 0;
    Gang after = before.with(said, holds);
    gangs.put(after);
    mix = mix.recounting(before, after);
  }

  // ---- Seats ----

  private void seat(MemberId pod, Optional<Seat> seat) {
    Optional<Seat> before = seats.get(pod);
    if (!before.equals(seat)) {
      if (before.isPresent()) {
        rise(pod, before.get().node());
      }
      seat.ifPresent(taken -> sit(pod, taken));
      seats = seats.with(pod, seat);
    }
  }

  private void rise(MemberId pod, NodeId node) {
    Optional<NodeState> there = nodes.get(node);
    if (there.isPresent()) {
      replace(there, Optional.of(there.get().leftBy(pod)));
    } else {
      seats = seats.unhousedLeft(pod, node);
    }
  }

  private void sit(MemberId pod, Seat seat) {
    if (!change(seat.node(), state -> state.occupiedBy(pod, seat.share()))) {
      seats = seats.unhousing(pod, seat);
    }
  }

  /// The pod has no seat any more. Its node, if it is there, was told.
  void unseat(MemberId pod) {
    Optional<NodeId> gone = seats.get(pod).map(Seat::node).filter(node -> !nodes.contains(node));
    seats = gone.isPresent() ? seats.unhousedLeft(pod, gone.get()) : seats;
    seats = seats.with(pod, Optional.empty());
  }

  /// The pod has the seat that it had. Its node, if it is there, was told.
  void reseat(MemberId pod, Optional<Seat> seat) {
    Optional<Seat> unseen = seat.filter(s -> !nodes.contains(s.node()));
    seats = unseen.isPresent() ? seats.unhousing(pod, unseen.get()) : seats;
    seats = seats.with(pod, seat);
  }

  // ---- Promises ----

  /// Makes a reservation, or replaces another one of the same gang. What both promise stays where
  /// it is; of what is new, large parts of GPUs come first, as in the search.
  void reserve(Reservation reservation) {
    Gang gang = gangs.get(reservation.gang());
    SortedTable<MemberId, Promise> dropped = promisesOf(gang.id());
    drop(dropped, reservation.promises());
    for (Promise promise : reservation.beyond(dropped, gang)) {
      Member member = gang.members().get(promise.member()).orElseThrow();
      change(promise.node(), state -> state.promising(member));
    }
    note(reservation);
    List<MemberId> pods = new ArrayList<>(dropped.keys());
    pods.addAll(reservation.promises().keys());
    book(gang.id(), pods);
  }

  /// Ends the gang's reservation, if any.
  void unreserve(GangId gang) {
    SortedTable<MemberId, Promise> promises = promisesOf(gang);
    drop(promises, SortedTable.empty());
    reservations = reservations.without(gang);
    book(gang, promises.keys());
  }

  /// Changes a reservation's bookkeeping; its members and nodes stay what they are.
  void note(Reservation reservation) {
    reservations = reservations.with(reservation.gang(), reservation);
  }

  /// A member that is bound, leaves or is gone needs no promise.
  void endPromise(GangId gang, MemberId member) {
    Optional<Promise> promise = promisesOf(gang).get(member);
    if (promise.isPresent()) {
      change(promise.get().node(), state -> state.unpromisedTo(member));
      note(reservations.get(gang).orElseThrow().without(member));
    }
  }

  private SortedTable<MemberId, Promise> promisesOf(GangId gang) {
    return reservations.get(gang).map(Reservation::promises).orElse(SortedTable.empty());
  }

  private void drop(SortedTable<MemberId, Promise> old, SortedTable<MemberId, Promise> kept) {
    for (Promise promise : old) {
      if (!promise.isAmong(kept)) {
        change(promise.node(), state -> state.unpromisedTo(promise.member()));
      }
    }
  }

  // ---- Books ----

  /// Accounts the gang and these of its pods as they now stand.
  private void book(GangId id, Iterable<MemberId> pods) {
    Gang gang = gangs.get(id);
    for (MemberId pod : pods) {
      charge(gang, pod, held(gang, pod));
    }
    if (gang.staying().isPresent() && books.inUse(id) == 0) {
      gang = gang.moved();
      gangs.put(gang);
    }
    books = books.seen(gang, reservations.get(id), now);
  }

  /// What the pod holds: its seat, else what is promised to it. On a node that is not there (yet,
  /// or any more) the model stays what was last known of it.
  private Optional<Books.Charge> held(Gang gang, MemberId pod) {
    Member member = gang.members().get(pod).orElse(null);
    if (member == null || member.request().gpus() == 0) {
      return Optional.empty();
    }
    Optional<NodeId> node = member.node();
    node = node.isPresent() ? node : promise(member).map(Promise::node);
    return node.isPresent()
        ? Optional.of(new Books.Charge(gang.id(), model(node.get(), pod), member.request().gpus()))
        : Optional.empty();
  }

  private String model(NodeId node, MemberId pod) {
    Optional<NodeState> state = nodes.get(node);
    return state.isPresent()
        ? state.get().node().model().name()
        : books.charges().get(pod).map(Books.Charge::model).orElse("");
  }

  /// The pod of the gang holds this now, and nothing else.
  void charge(Gang gang, MemberId pod, Optional<Books.Charge> charge) {
    books = books.charged(gang, pod, charge, now);
  }

  /// The books stand like this.
  void account(Books changed) {
    books = changed;
  }

  // ---- Holds ----

  /// Keeps room for a gang, instead of any that was kept for it before.
  void keep(Hold hold) {
    var before = holds.get(hold.gang()).map(Hold::claims).orElse(SortedTable.empty());
    for (var claim : hold.claims().differences(before)) {
      change(claim.key(), node -> node.claimedBy(hold.gang(), claim.now()));
    }
    holds = holds.with(hold.gang(), hold);
  }

  /// Keeps no room for the gang any more.
  void dropHold(GangId gang) {
    for (NodeId node : holds.get(gang).map(h -> h.claims().keys()).orElse(List.of())) {
      change(node, state -> state.claimedBy(gang, Optional.empty()));
    }
    holds = holds.without(gang);
  }

  /// Leaves it to the gang to use what is kept for it, ahead of the claims of these.
  void open(GangId gang, Iterable<GangId> behind) {
    for (NodeId node : holds.get(gang).map(h -> h.claims().keys()).orElse(List.of())) {
      change(node, state -> state.openedTo(gang, behind));
    }
    holds = holds.without(gang);
  }

  // ---- Nodes ----

  /// Changes the node, if it is there; false if it is not.
  boolean change(NodeId node, UnaryOperator<NodeState> change) {
    Optional<NodeState> before = nodes.get(node);
    if (before.isPresent()) {
      replace(before, Optional.of(change.apply(before.get())));
    }
    return before.isPresent();
  }

  private void replace(Optional<NodeState> before, Optional<NodeState> after) {
    NodeId id = (after.isPresent() ? after : before).orElseThrow().id();
    boolean moved =
        before.isPresent() && after.isPresent() && !before.get().path().equals(after.get().path());
    fabric =
        moved
            ? fabric.replaced(before, Optional.empty()).replaced(Optional.empty(), after)
            : fabric.replaced(before, after);
    nodes =
        topology.depth() == 0
            ? fabric.nodes() // all of them lie right in it
            : after.isPresent() ? nodes.with(id, after.get()) : nodes.without(id);
    books = books.stocked(before, after);
  }
}
