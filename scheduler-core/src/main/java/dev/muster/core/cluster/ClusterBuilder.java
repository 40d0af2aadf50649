package dev.muster.core.cluster;

import dev.muster.core.budget.QueueNamespaces;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.PodLocations.PodLocation;
import dev.muster.core.cluster.UsageLedger.PodUsage;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeAvoidance;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.NodeShare;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// Builds the next image from another one.
///
/// It has one method for each way in which facts can change, and updates nodes, pod locations and
/// the usage ledger with them. A builder is used by one thread and dropped after [image][#image].
///
/// Facts are accepted in any order. A pod may be bound to a node that was not seen yet: its share
/// is kept and counted once the node appears. A gang's pods may come before the gang.
final class ClusterBuilder {
  private long version;
  private Instant now;
  private boolean synced;
  private final NodeInventory nodes;
  private final GangEdits gangs;
  private final ReservationBook reservations;
  private final PodLocationEdits pods;
  private final HoldBook holds;
  private NodeAvoidance avoidance;
  private DemandMix mix;
  private List<SpentBudget> spent;
  private final QueueNamespaces namespaces;
  private UsageLedger ledger;

  ClusterBuilder(Cluster from) {
    namespaces = from.namespaces();
    version = from.version();
    now = from.now();
    synced = from.synced();
    nodes = new NodeInventory(from);
    gangs = new GangEdits(from.gangs(), namespaces);
    reservations = new ReservationBook(nodes, from.reservations());
    pods = new PodLocationEdits(nodes, from.locations());
    holds = new HoldBook(nodes, from.holds());
    avoidance = from.avoidance();
    mix = from.mix();
    spent = from.spent();
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
        pods.locations(),
        holds.byGang(),
        avoidance,
        mix,
        spent,
        namespaces,
        ledger.withSupply(nodes.stock()));
  }

  // ---- Facts ----

  /// Applies the event's facts. An outcome or a tick moves only the time.
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
      case Event.UnmanagedPodSeen(_, MemberId pod, NodeId node, var resources, int gpus) ->
          pods.move(pod, Optional.of(new PodLocation(node, new NodeShare(resources, gpus))));
      case Event.UnmanagedPodGone(_, MemberId pod) -> pods.move(pod, Optional.empty());
      case Event.Synced _ -> {
        gangs.all().forEach(gang -> gangs.put(PastRun.listed(gang)));
        ledger = synced ? ledger : ledger.opened(gangs.all(), now);
        synced = true;
      }
      case Event.BudgetsSpent(_, var budgets) -> spent = budgets;
      case Event.Tick _, Event.PolicyChanged _, Event.Outcome _ -> {}
    }
    if (spent.stream().anyMatch(budget -> !budget.until().isAfter(now))) {
      spent = spent.stream().filter(budget -> budget.until().isAfter(now)).toList();
    }
  }

  /// Applies the facts about one gang and accounts its pods together at the end.
  ///
  /// Before a fact about the gang's object, and before a pod comes from another gang, they are
  /// accounted earlier, since its queue depends on the GPUs that they hold.
  private void take(Event.OfGang said) {
    List<MemberId> unbooked = new ArrayList<>();
    for (Event.GangFact fact : said.facts()) {
      switch (fact) {
        case Event.GangSeen(_, GangSpec spec) -> declared(spec.id(), Optional.of(spec), unbooked);
        case Event.GangGone(_, GangId gang) -> declared(gang, Optional.empty(), unbooked);
        case Event.MemberSeen(_, Member member) -> {
          Optional<GangId> at = pods.gangOf(member.id()).filter(it -> !it.equals(said.gang()));
          at.ifPresentOrElse(from -> moved(from, member, unbooked), () -> seen(member));
          unbooked.addAll(at.isEmpty() ? List.of(member.id()) : List.of());
        }
        case Event.MemberGone(_, GangId gang, MemberId member) -> {
          Optional<GangId> beside = pods.gangOf(member).filter(at -> GangEdits.isBeside(gang, at));
          gone(beside.orElse(gang), member);
          beside.ifPresentOrElse(at -> book(at, List.of(member)), () -> unbooked.add(member));
        }
        case Event.DiscrepanciesSeen(_, GangId gang, var found) ->
            gangs.put(gangs.get(gang).ignoring(found));
      }
      if (synced) {
        gangs.put(PastRun.noted(gangs.get(said.gang())));
      }
    }
    book(said.gang(), unbooked);
  }

  private void bookAll(GangId gang, List<MemberId> unbooked) {
    if (!unbooked.isEmpty()) {
      book(gang, unbooked);
      unbooked.clear();
    }
  }

  /// Moves a pod to another gang. Its GPUs stay in the queue of the gang that it leaves. Before all
  /// objects were seen they do not: the order in which these are listed must not matter.
  private void moved(GangId from, Member said, List<MemberId> unbooked) {
    bookAll(said.gang(), unbooked);
    MemberId pod = said.id();
    boolean keeps = synced && said.node().isPresent() && ledger.podUsages().contains(pod);
    String queue = gangs.get(from).queue();
    GangId to = said.gang();
    to = keeps ? gangs.destination(to, queue, ledger.inUse(to) > 0) : to;
    seen(said.in(to));
    gangs.put(keeps ? gangs.get(to).stayingIn(queue) : gangs.get(to));
    book(to, List.of(pod));
    if (!from.equals(to)) {
      gone(from, pod);
      book(from, List.of(pod));
    }
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
    boolean isOther = before.isEmpty() || !before.get().node().model().equals(node.model());
    ledger = isOther ? ledger.withModel(after, now) : ledger;
    if (isOther || before.get().node().isReady() != node.isReady()) {
      book(after);
    }
  }

  private void lost(NodeId node) {
    Optional<NodeState> before = nodes.get(node);
    if (before.isPresent()) {
      nodes.replace(before, Optional.empty());
      pods.nodeGone(node, before.get().occupants());
      book(before.get());
    }
  }

  private void seen(Member said) {
    Gang before = gangs.get(said.gang());
    Member member = before.sharing(PastRun.stopped(before, said));
    Gang after = PastRun.seen(before, before.with(member), member);
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

  /// True if a pod that had no node was bound to the node promised to it.
  private boolean isAsPromised(Member member) {
    Optional<NodeId> promised = reservations.promise(member).map(Promise::node);
    return promised.isPresent()
        && promised.equals(member.node())
        && nodes.contains(promised.get())
        && pods.get(member.id()).isEmpty();
  }

  private void gone(GangId gang, MemberId member) {
    Gang before = gangs.get(gang);
    Gang after = PastRun.left(before.without(member), before.members().get(member));
    gangs.put(after);
    mix = mix.recounting(before, after, member);
    pods.leave(gang, member);
    endPromise(gang, member);
  }

  private void declared(GangId id, Optional<GangSpec> said, List<MemberId> unbooked) {
    bookAll(id, unbooked);
    Gang before = gangs.get(id);
    boolean holds = before.spec().isPresent() && ledger.inUse(id) > 0;
    Gang after = before.with(said, holds, namespaces);
    gangs.put(after);
    mix = mix.recounting(before, after);
  }

  // ---- Pod locations ----

  /// Removes the pod's location. Its node, if it exists, was changed before.
  void release(MemberId pod) {
    pods.release(pod);
  }

  /// Restores the pod's former location. Its node, if it exists, was changed before.
  void relocate(MemberId pod, Optional<PodLocation> location) {
    pods.restore(pod, location);
  }

  // ---- Promises ----

  /// Makes a reservation. It replaces any other one of its gang.
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

  /// Changes a reservation's bookkeeping. Its members and nodes must be unchanged.
  void note(Reservation reservation) {
    reservations.note(reservation);
  }

  /// Ends the promise of a member that is bound, leaves or is gone.
  void endPromise(GangId gang, MemberId member) {
    reservations.endPromise(gang, member);
  }

  // ---- Usage ledger ----

  /// Accounts the gang and these of its pods in their current state.
  private void book(GangId id, Iterable<MemberId> concerned) {
    charge(gangs.get(id), concerned, pod -> held(gangs.get(id), pod));
    Gang gang = gangs.get(id);
    if (gang.account().stays() && ledger.inUse(id) == 0 && !GangEdits.isOfAccount(gang)) {
      gang = gang.charged(namespaces);
      gangs.put(gang);
    }
    ledger = ledger.seen(gang, reservations.get(id), now);
  }

  /// Accounts the pods and holes of a node that came, went, or changed its model or readiness.
  private void book(NodeState node) {
    for (MemberId pod : node.occupants().keys()) {
      ledger.gangOf(pod).ifPresent(gang -> book(gang, List.of(pod)));
    }
    node.shares().keys().forEach(gang -> ledger = holds.booked(gangs.get(gang), ledger, now));
  }

  /// Returns the GPUs that the pod holds by its node, otherwise by its promise.
  private Optional<PodUsage> held(Gang gang, MemberId pod) {
    Member member = gang.members().get(pod).orElse(null);
    if (member == null || member.request().gpus() == 0) {
      return Optional.empty();
    }
    Optional<NodeId> promised = reservations.promise(member).map(Promise::node);
    return member.node().or(() -> promised).map(node -> ledger.usage(member, node, nodes));
  }

  /// Replaces the usage of these pods of the gang, whose hole counts for what they do not.
  void charge(Gang gang, Iterable<MemberId> pods, Function<MemberId, Optional<PodUsage>> usage) {
    pods.forEach(pod -> ledger = ledger.charged(gang, pod, usage.apply(pod), now));
    ledger = holds.booked(gang, ledger, now);
  }

  /// Replaces the usage ledger.
  void account(UsageLedger changed) {
    ledger = changed;
  }

  // ---- Holds ----

  /// Makes a hold. It replaces any other one of its gang.
  void keep(Hold hold) {
    holds.put(hold);
    ledger = holds.booked(gangs.get(hold.gang()), ledger, now);
  }

  /// Ends the gang's hold, if any. Its account is unchanged.
  void dropHold(GangId gang) {
    holds.drop(gang);
  }

  /// Lets the gang use its hold, ahead of the shares of the gangs behind it.
  void open(GangId gang, Iterable<GangId> behind) {
    holds.open(gang, behind);
  }

  // ---- Nodes ----

  /// Lets gangs avoid these nodes, and no others.
  void avoid(NodeAvoidance other) {
    avoidance = other;
  }

  /// Adds, changes or removes a node. At least one of the two states is present.
  void replace(Optional<NodeState> before, Optional<NodeState> after) {
    nodes.replace(before, after);
  }

  /// Changes the node, if it exists.
  void change(NodeId node, UnaryOperator<NodeState> change) {
    nodes.change(node, change);
  }
}
