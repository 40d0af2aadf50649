package dev.muster.core.cluster;

import dev.muster.core.cluster.PodLocations.PodLocation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.Occupant;
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
final class ClusterBuilder {
  private long version;
  private Instant now;
  private boolean synced;
  private final NodeInventory nodes;
  private final GangEdits gangs;
  private final ReservationBook reservations;
  private final PodLocationEdits pods;
  private final HoldBook holds;
  private DemandMix mix;
  private UsageLedger ledger;

  ClusterBuilder(Cluster from) {
    version = from.version();
    now = from.now();
    synced = from.synced();
    nodes = new NodeInventory(from);
    gangs = new GangEdits(from.gangs());
    reservations = new ReservationBook(nodes, from.reservations());
    pods = new PodLocationEdits(nodes, from.locations());
    holds = new HoldBook(nodes, from.holds());
    mix = from.mix();
    ledger = from.ledger();
  }

  Cluster image() {
    return new Cluster(
        version,
        now,
        synced,
        nodes.topology(),
        nodes.fabric(),
        nodes.byName(),
        gangs.all(),
        reservations.byGang(),
        pods.seats(),
        holds.byGang(),
        mix,
        ledger.stocked(nodes.stock()));
  }

  // ---- Facts ----

  /// Takes the event's facts in; an outcome or a tick only moves the time.
  void take(Event event) {
    version++;
    if (event.at().isAfter(now)) {
      ledger = ledger.passing(now, event.at());
      now = event.at();
    }
    switch (event) {
      case Event.NodeSeen(_, Node node) -> seen(node);
      case Event.NodeGone(_, NodeId node) -> lost(node);
      case Event.OfGang said -> take(said);
      case Event.StrangerSeen(_, MemberId pod, NodeId node, var resources, int gpus) ->
          pods.move(pod, Optional.of(new PodLocation(node, new Occupant(resources, gpus))));
      case Event.StrangerGone(_, MemberId pod) -> pods.move(pod, Optional.empty());
      case Event.Synced _ -> {
        ledger = synced ? ledger : ledger.opened(gangs.all(), now);
        synced = true;
      }
      case Event.Tick _, Event.PolicyChanged _, Event.Outcome _ -> {}
    }
  }

  /// What is said of the gang's pods is accounted at once; but before anything is said of its
  /// object, since its queue hangs on what they hold.
  private void take(Event.OfGang said) {
    List<MemberId> unbooked = new ArrayList<>();
    for (Event.GangFact fact : said.facts()) {
      switch (fact) {
        case Event.GangSeen(_, GangSpec spec) -> declared(spec.id(), Optional.of(spec), unbooked);
        case Event.GangGone(_, GangId gang) -> declared(gang, Optional.empty(), unbooked);
        case Event.MemberSeen(_, Member member) -> {
          seen(member);
          unbooked.add(member.id());
        }
        case Event.MemberGone(_, GangId gang, MemberId member) -> {
          gone(gang, member);
          unbooked.add(member);
        }
      }
    }
    book(said.gang(), unbooked);
  }

  private void seen(Node node) {
    var path = nodes.topology().locate(node.labels());
    Optional<NodeState> before = nodes.get(node.id());
    NodeState after =
        before.isPresent()
            ? before.get().with(node, path)
            : holds.withClaims(pods.withPods(NodeState.empty(node, path)));
    nodes.replace(before, Optional.of(after));
    pods.nodeAppeared(node.id());
    if (before.isEmpty() || !before.get().node().model().equals(node.model())) {
      ledger = ledger.modelled(after, now);
    }
  }

  private void lost(NodeId node) {
    Optional<NodeState> before = nodes.get(node);
    if (before.isPresent()) {
      nodes.replace(before, Optional.empty());
      pods.nodeGone(node, before.get().occupants());
    }
  }

  private void seen(Member said) {
    Gang before = gangs.get(said.gang());
    Member member = before.sharing(said);
    Gang after = before.with(member);
    gangs.put(after);
    mix = mix.recounting(before, after, member.id());
    if (isAsPromised(member)) {
      pods.bindAsPromised(member.id(), PodLocation.of(member).orElseThrow());
      reservations.bound(member.gang(), member.id());
    } else {
      pods.move(member.id(), PodLocation.of(member));
      if (!member.wantsNode()) {
        endPromise(member.gang(), member.id());
      }
    }
  }

  /// Whether a pod that had no node was bound where it was promised to go.
  private boolean isAsPromised(Member member) {
    Optional<NodeId> promised = reservations.promise(member).map(Promise::node);
    return promised.isPresent()
        && promised.equals(member.node())
        && nodes.contains(promised.get())
        && pods.get(member.id()).isEmpty();
  }

  private void gone(GangId gang, MemberId member) {
    Gang before = gangs.get(gang);
    Gang after = before.without(member);
    gangs.put(after);
    mix = mix.recounting(before, after, member);
    pods.move(member, Optional.empty());
    endPromise(gang, member);
  }

  private void declared(GangId id, Optional<GangSpec> said, List<MemberId> unbooked) {
    if (!unbooked.isEmpty()) {
      book(id, unbooked);
      unbooked.clear();
    }
    Gang before = gangs.get(id);
    boolean holds = before.spec().isPresent() && ledger.inUse(id) > 0;
    Gang after = before.with(said, holds);
    gangs.put(after);
    mix = mix.recounting(before, after);
  }

  // ---- Seats ----

  /// The pod has no seat any more. Its node, if it is there, was told.
  void unseat(MemberId pod) {
    pods.release(pod);
  }

  /// The pod has the seat that it had. Its node, if it is there, was told.
  void reseat(MemberId pod, Optional<PodLocation> location) {
    pods.restore(pod, location);
  }

  // ---- Promises ----

  /// Makes a reservation, or replaces another one of the same gang.
  void reserve(Reservation reservation) {
    Gang gang = gangs.get(reservation.gang());
    List<MemberId> concerned = new ArrayList<>(reservations.promises(gang.id()).keys());
    concerned.addAll(reservation.promises().keys());
    reservations.put(reservation, gang);
    book(gang.id(), concerned);
  }

  /// Ends the gang's reservation, if any.
  void unreserve(GangId gang) {
    List<MemberId> concerned = reservations.promises(gang).keys();
    reservations.end(gang);
    book(gang, concerned);
  }

  /// Changes a reservation's bookkeeping; its members and nodes stay what they are.
  void note(Reservation reservation) {
    reservations.note(reservation);
  }

  /// A member that is bound, leaves or is gone needs no promise.
  void endPromise(GangId gang, MemberId member) {
    reservations.endPromise(gang, member);
  }

  // ---- Books ----

  /// Accounts the gang and these of its pods as they now stand.
  private void book(GangId id, Iterable<MemberId> concerned) {
    Gang gang = gangs.get(id);
    for (MemberId pod : concerned) {
      charge(gang, pod, held(gang, pod));
    }
    if (gang.staying().isPresent() && ledger.inUse(id) == 0) {
      gang = gang.moved();
      gangs.put(gang);
    }
    ledger = ledger.seen(gang, reservations.get(id), now);
  }

  /// What the pod holds: its seat, else what is promised to it. On a node that is not there (yet,
  /// or any more) the model stays what was last known of it.
  private Optional<UsageLedger.PodUsage> held(Gang gang, MemberId pod) {
    Member member = gang.members().get(pod).orElse(null);
    if (member == null || member.request().gpus() == 0) {
      return Optional.empty();
    }
    Optional<NodeId> node = member.node();
    node = node.isPresent() ? node : reservations.promise(member).map(Promise::node);
    return node.isPresent()
        ? Optional.of(new UsageLedger.PodUsage(gang.id(), model(node.get(), pod), member.request().gpus()))
        : Optional.empty();
  }

  private String model(NodeId node, MemberId pod) {
    Optional<NodeState> state = nodes.get(node);
    return state.isPresent()
        ? state.get().node().model().name()
        : ledger.podUsages().get(pod).map(UsageLedger.PodUsage::model).orElse("");
  }

  /// The pod of the gang holds this now, and nothing else.
  void charge(Gang gang, MemberId pod, Optional<UsageLedger.PodUsage> podUsage) {
    ledger = ledger.charged(gang, pod, podUsage, now);
  }

  /// The books stand like this.
  void account(UsageLedger changed) {
    ledger = changed;
  }

  // ---- Holds ----

  /// Keeps room for a gang, instead of any that was kept for it before.
  void keep(Hold hold) {
    holds.put(hold);
  }

  /// Keeps no room for the gang any more.
  void dropHold(GangId gang) {
    holds.drop(gang);
  }

  /// Lets the gang use what is kept for it, ahead of the claims of the others.
  void open(GangId gang, Iterable<GangId> behind) {
    holds.open(gang, behind);
  }

  // ---- Nodes ----

  /// Changes the node, if it is there.
  void change(NodeId node, UnaryOperator<NodeState> change) {
    nodes.change(node, change);
  }
}
