package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// All that is true now: an immutable image, of which every event makes the next one ([ClusterBuilder] says
/// how).
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
    TopologyDomain fabric,
    SortedTable<NodeId, NodeState> nodes,
    SortedTable<GangId, Gang> gangs,
    SortedTable<GangId, Reservation> reservations,
    PodLocations locations,
    SortedTable<GangId, Hold> holds,
    DemandMix mix,
    UsageLedger ledger) {
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
        TopologyDomain.empty(DomainPath.ROOT),
        SortedTable.empty(),
        SortedTable.empty(),
        SortedTable.empty(),
        PodLocations.NONE,
        SortedTable.empty(),
        DemandMix.NONE,
        UsageLedger.blank(halfLife));
  }

  /// The gang with this id; one without spec and members when nothing of it was seen.
  public Gang gang(GangId id) {
    Optional<Gang> seen = gangs.get(id);
    return seen.isPresent() ? seen.get() : Gang.unseen(id);
  }

  /// Where the gang stands.
  public GangPhase phase(GangId id) {
    Optional<Reservation> held = reservations.get(id);
    return gang(id).phase(held.isPresent() && !held.get().rests());
  }

  /// The member's promise, if its gang holds a reservation with one for it.
  public Optional<Promise> promise(Member member) {
    Optional<Reservation> held = reservations.get(member.gang());
    return held.isPresent() ? held.get().promises().get(member.id()) : Optional.empty();
  }

  /// Whether the gang holds a reservation to start as a whole: it did not run whole before.
  public boolean isStarting(GangId id) {
    Optional<Reservation> held = reservations.get(id);
    return held.isPresent() && !held.get().ran();
  }

  /// The image after the event's facts; an outcome or a tick only moves the time.
  public Cluster apply(Event event) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.take(event);
    return builder.image();
  }

  /// How many members the gang lacks to its minimum, over those that run, are done or have a
  /// promise; 0 or less where it lacks none.
  public int lacking(Gang gang) {
    return gang.lacking(reservations.get(gang.id()));
  }

  /// Its members that wait for a node and have none promised, by rank.
  public List<Member> unpromised(Gang gang) {
    SortedTable<MemberId, Promise> promises =
        reservations.get(gang.id()).map(Reservation::promises).orElse(SortedTable.empty());
    if (promises.size() == gang.wantingCount()) { // only members that want a node have promises
      return List.of();
    }
    List<Member> waiting = gang.waiting();
    if (promises.isEmpty()) {
      return waiting;
    }
    return waiting.stream().filter(member -> !promises.contains(member.id())).toList();
  }

  /// Those of the victim's members to leave that are still there.
  public List<Member> members(Victim victim) {
    Gang gang = gang(victim.gang());
    return victim.members().asList().stream()
        .flatMap(pod -> gang.members().get(pod).stream())
        .toList();
  }

  /// The image with a reservation made, or replaced by another for the same gang.
  public Cluster with(Reservation reservation) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.reserve(reservation);
    return builder.image();
  }

  /// The image with the gang's reservation, if any, ended.
  public Cluster without(GangId gang) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.unreserve(gang);
    return builder.image();
  }

  /// The image with a reservation's bookkeeping changed; its members and nodes stay what they are.
  public Cluster noted(Reservation reservation) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.note(reservation);
    return builder.image();
  }

  /// The image with room kept for a gang, instead of any that was kept for it before.
  public Cluster with(Hold hold) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.keep(hold);
    return builder.image();
  }

  /// The image without any room kept for the gang.
  public Cluster withoutHold(GangId gang) {
    if (!holds.contains(gang)) {
      return this;
    }
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.dropHold(gang);
    return builder.image();
  }

  /// The image as the gang may use it for which room is kept: to seek a place in, since nothing is
  /// kept for the gang there.
  ///
  /// @param behind the gangs whose claims are served after its own
  public Cluster openedTo(GangId gang, Iterable<GangId> behind) {
    ClusterBuilder builder = new ClusterBuilder(this);
    builder.open(gang, behind);
    return builder.image();
  }

  /// The image in which the gang is without hope, or has hope again. A gang that would not start
  /// whatever came free claims nothing of what its queue is guaranteed. It stays so until it is
  /// told otherwise, or nothing is left of it.
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
