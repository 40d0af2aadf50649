package dev.muster.core.cluster;

import dev.muster.core.budget.QueueNamespaces;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import dev.muster.core.node.AvoidedNodes;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeAvoidance;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// The immutable state of the cluster after one event.
///
/// Every event makes the next image. [ClusterBuilder] contains the rules.
///
/// @param version events applied since the empty image
/// @param now the time of the newest event; it never runs backwards
/// @param synced whether all existing objects were seen once
/// @param topology the levels of the fabric
/// @param fabric all nodes, in the tree of topology domains
/// @param nodes all nodes by name; these states are also the leaves of the fabric
/// @param gangs all gangs with an object or a member
/// @param reservations reservations by gang
/// @param locations the node and share of each pod that uses resources, also on nodes not seen yet
/// @param holds capacity kept for gangs that cannot use it yet, by gang
/// @param mix numbers of members by shape, over all gangs
/// @param avoidance nodes that gangs avoid because members failed there
/// @param spent budgets that are used up
/// @param namespaces the namespaces from which queues accept gangs
/// @param ledger GPUs in use and GPUs asked for, by pod, gang and queue
@SuppressWarnings("ReferenceEquality") // an unchanged ledger is one object
public record Cluster(
    long version,
    Instant now,
    boolean synced,
    Topology topology,
    TopologyDomain fabric,
    SortedTable<NodeId, NodeState> nodes,
    SortedTable<GangId, Gang> gangs,
    SortedTable<GangId, Reservation> reservations,
    PodLocations locations,
    SortedTable<GangId, Hold> holds,
    NodeAvoidance avoidance,
    DemandMix mix,
    List<SpentBudget> spent,
    QueueNamespaces namespaces,
    UsageLedger ledger) {
  /// The default time in which half of the GPU time used is forgotten.
  public static final Duration HALF_LIFE = Duration.ofDays(7);

  /// Returns the image before any event, with the default half-life.
  public static Cluster empty(Topology topology) {
    return empty(topology, HALF_LIFE, QueueNamespaces.ALL);
  }

  /// Returns the image before any event.
  ///
  /// @param halfLife time in which half of the GPU time used by queues is forgotten
  /// @param namespaces the namespaces from which queues accept gangs
  public static Cluster empty(Topology topology, Duration halfLife, QueueNamespaces namespaces) {
    return new Cluster(
        0,
        Instant.EPOCH,
        false,
        topology,
        TopologyDomain.empty(DomainPath.ROOT),
        SortedTable.empty(),
        SortedTable.empty(),
        SortedTable.empty(),
        PodLocations.NONE,
        SortedTable.empty(),
        NodeAvoidance.NONE,
        DemandMix.NONE,
        List.of(),
        namespaces,
        UsageLedger.blank(halfLife));
  }

  /// Returns the gang with this id; a gang without spec and members if it was never seen.
  public Gang gang(GangId id) {
    Optional<Gang> seen = gangs.get(id);
    return seen.isPresent() ? seen.get() : Gang.unseen(id, namespaces);
  }

  /// Returns the gang's phase, computed from its members and its reservation.
  public GangPhase phase(GangId id) {
    Optional<Reservation> held = reservations.get(id);
    return gang(id).phase(held.isPresent() && !held.get().rests());
  }

  /// Returns the member's promise, if its gang has a reservation that contains one.
  public Optional<Promise> promise(Member member) {
    Optional<Reservation> held = reservations.get(member.gang());
    return held.isPresent() ? held.get().promises().get(member.id()) : Optional.empty();
  }

  /// True if this node was chosen for the member: it has a promise there, or was bound to one.
  ///
  /// A pod is on another node if its creator named the node, or if it was bound before Muster was
  /// started.
  public boolean isChosen(Member member, NodeId node) {
    Optional<Promise> promise = promise(member);
    return promise.isPresent()
        ? promise.get().node().equals(node)
        : locations
            .get(member.id())
            .filter(at -> at.promised() && at.node().equals(node))
            .isPresent();
  }

  /// True if the gang has a reservation to start as a whole: it was never complete before.
  public boolean isStarting(GangId id) {
    Optional<Reservation> held = reservations.get(id);
    return held.isPresent() && !held.get().ran();
  }

  /// Returns the image after the event's facts. An outcome or a tick moves only the time.
  public Cluster apply(Event event) {
    boolean listed = event instanceof Event.Synced && !synced;
    ClusterBuilder builder = new ClusterBuilder(listed ? recharged() : this);
    builder.take(event);
    return builder.image();
  }

  /// Returns the image with each gang in the queue that its pods record, if that accepts the gang.
  private Cluster recharged() {
    return charging(namespaces, gang -> recordedQueue(gang).map(gang::stayingIn).orElse(gang));
  }

  /// Returns the charged queue that pods with GPUs record. If they differ, it is the first by name,
  /// so that the order in which pods are listed does not matter.
  private Optional<String> recordedQueue(Gang gang) {
    Optional<String> first = Optional.empty();
    for (Member member : gang.active()) {
      Optional<String> queue = member.report().chargedQueue();
      if (queue.isPresent()
          && ledger.podUsages().contains(member.id())
          && namespaces.takes(queue.get(), gang.id().namespace())
          && (first.isEmpty() || queue.get().compareTo(first.get()) < 0)) {
        first = queue;
      }
    }
    return first;
  }

  /// Returns the image under other queues: each gang is charged to the queue that it names now.
  ///
  /// GPU time used before stays on the former accounts.
  public Cluster under(QueueNamespaces others) {
    return others.equals(namespaces) ? this : charging(others, gang -> gang.charged(others));
  }

  private Cluster charging(QueueNamespaces others, UnaryOperator<Gang> change) {
    SortedTable<GangId, Gang> charged = gangs;
    UsageLedger moved = ledger;
    for (Gang before : gangs) {
      Gang gang = change.apply(before);
      if (gang != before) {
        charged = charged.with(gang.id(), gang);
        moved = moved.seen(gang, reservations.get(gang.id()), now);
      }
    }
    return new Cluster(
        version,
        now,
        synced,
        topology,
        fabric,
        nodes,
        charged,
        reservations,
        locations,
        holds,
        avoidance,
        mix,
        spent,
        others,
        moved);
  }

  /// Returns the number of members that the gang lacks to its minimum.
  ///
  /// Members that run, have succeeded or have a promise count towards it. The number is 0 or less
  /// when none is lacking.
  public int lacking(Gang gang) {
    return gang.lacking(reservations.get(gang.id()));
  }

  /// Returns the members that wait for a node and have no promise, by rank.
  public List<Member> unpromised(Gang gang) {
    SortedTable<MemberId, Promise> promises =
        reservations.get(gang.id()).map(Reservation::promises).orElse(SortedTable.empty());
    if (promises.size() == gang.wantingCount()) { // only members that wait for a node have promises
      return List.of();
    }
    List<Member> waiting = gang.waiting();
    if (promises.isEmpty()) {
      return waiting;
    }
    return waiting.stream().filter(member -> !promises.contains(member.id())).toList();
  }

  /// Returns the members that the victim is to give up and that still exist.
  public List<Member> members(Victim victim) {
    Gang gang = gang(victim.gang());
    return victim.members().asList().stream()
        .flatMap(pod -> gang.members().get(pod).stream())
        .toList();
  }

  /// Returns the image with this reservation. It replaces any other one of its gang.
  public Cluster with(Reservation reservation) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.reserve(reservation);
    return builder.image();
  }

  /// Returns the image with the gang's reservation, if any, ended.
  public Cluster without(GangId gang) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.unreserve(gang);
    return builder.image();
  }

  /// Returns the image with a reservation's bookkeeping changed, but not its members and nodes.
  public Cluster noted(Reservation reservation) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.note(reservation);
    return builder.image();
  }

  /// Returns the nodes that the gang avoids.
  public AvoidedNodes avoided(GangId gang) {
    return avoidance.byGang().isEmpty() ? AvoidedNodes.NONE : avoidance.of(failing(gang));
  }

  /// Returns the id under which failures of the gang are remembered.
  ///
  /// A lone pod that fails is replaced by another lone pod, so these share the id of their
  /// workload.
  public GangId failing(GangId gang) {
    return gang.origin() != GangId.Origin.POD
        ? gang
        : gang(gang)
            .spec()
            .map(GangSpec::lineage)
            .filter(lineage -> !lineage.isEmpty())
            .map(lineage -> new GangId(gang.namespace(), GangId.Origin.POD, lineage))
            .orElse(gang);
  }

  /// Returns the gangs that avoid the node because their members failed there.
  ///
  /// A gang that fails on many nodes says nothing about one of them, so it does not count.
  public SortedKeys<GangId> gangsAvoiding(NodeId node) {
    return avoidance.blaming(node);
  }

  /// Returns the image in which these nodes are avoided.
  ///
  /// @param failing the gang or workload, as returned by [#failing]
  public Cluster avoiding(GangId failing, AvoidedNodes nodes) {
    return with(avoidance.with(failing, nodes));
  }

  /// Returns the image in which gangs avoid these nodes.
  @SuppressWarnings("ReferenceEquality") // an unchanged avoidance is one object
  public Cluster with(NodeAvoidance other) {
    if (other == avoidance) {
      return this;
    }
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.avoid(other);
    return builder.image();
  }

  /// Returns the image with this hold. It replaces any other one of its gang.
  public Cluster with(Hold hold) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.keep(hold);
    return builder.image();
  }

  /// Returns the image without the gang's hold.
  public Cluster withoutHold(GangId gang) {
    if (!holds.contains(gang)) {
      return this;
    }
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.dropHold(gang);
    builder.account(ledger.keeping(gang(gang), SortedTable.empty(), now));
    return builder.image();
  }

  /// Returns the image without the holds of these gangs, whose queues stay charged for them.
  public Cluster withoutHolds(Iterable<GangId> held) {
    ClusterBuilder builder = new ClusterBuilder(this);
    held.forEach(builder::dropHold);
    return builder.image();
  }

  /// Returns the image as the owner of a hold may use it.
  ///
  /// A place is searched in it: nothing is withheld there for the gang itself.
  ///
  /// @param behind gangs whose shares are served after the gang's own
  public Cluster openedTo(GangId gang, Iterable<GangId> behind) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.open(gang, behind);
    return builder.image();
  }

  /// Returns the image in which the gang lost nothing: claims and budgets apply to all it lacks.
  public Cluster withoutLoss(GangId gang) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.account(ledger.withoutLoss(gang));
    return builder.image();
  }

  /// Returns the image with the gang marked, or no longer marked, as unable to start.
  ///
  /// A marked gang would not start whatever became free, so it claims nothing of its queue's
  /// guarantee. The mark stays until it is removed, or until the gang has neither object nor
  /// members.
  public Cluster hopeless(GangId id, boolean without) {
    boolean hopeless = without && gangs.contains(id);
    UsageLedger seen = ledger.seen(gang(id), reservations.get(id), hopeless, now);
    if (seen == ledger) {
      return this;
    }
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.account(seen);
    return builder.image();
  }
}
