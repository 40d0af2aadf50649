package dev.muster.core.placement.request;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Slices;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.FreeCapacity;
import dev.muster.core.node.MaxFreeCapacity;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What one search is about.
///
/// @param cluster the image searched
/// @param wishes what is wished for the gang
/// @param demand what its newcomers need
/// @param mates who belongs to it
/// @param rules which nodes would take them
/// @param members the numbers of newcomers of each kind
/// @param slicing how they are cut into slices, if they are
/// @param terms how costs are laid out
/// @param fragmentation what is left behind
public record PlacementRequest(
    Cluster cluster,
    GangConstraints constraints,
    KindDemand demand,
    PlacedMembers placed,
    NodeEligibility rules,
    CountVectors members,
    Optional<SliceLayout> slicing,
    CostLayout terms,
    Fragmentation fragmentation) {
  /// The question where to place the members, given in rank order, of a gang whose specification is
  /// known; nodes that are shunned are not used.
  public static PlacementRequest of(Cluster cluster, Gang gang, List<Member> members, SortedKeys<NodeId> shunned) {
    GangConstraints constraints = gang.constraints();
    Topology topology = cluster.topology();
    KindCounts kindCounts = KindCounts.of(members);
    PlacedMembers placed = new PlacedMembers(cluster, gang, members);
    Optional<Slices> slices = constraints.topology().slices();
    List<MemberRequirements> asks = new ArrayList<>();
    for (Request kind : kindCounts.kinds()) {
      asks.add(MemberRequirements.of(kind, constraints, topology));
    }
    return new PlacementRequest(
        cluster,
        constraints,
        new KindDemand(kindCounts),
        placed,
        new NodeEligibility(
            asks,
            slices.isPresent() ? topology.labelOf(slices.get().level()) : Optional.empty(),
            shunned,
            placed),
        new CountVectors(kindCounts.counts()),
        slices.isPresent()
            ? Optional.of(slicing(slices.get(), placed, kindCounts, topology))
            : Optional.empty(),
        new CostLayout(topology.depth(), members.size()),
        new Fragmentation(cluster.mix()));
  }

  private static SliceLayout slicing(Slices cut, PlacedMembers placed, KindCounts kindCounts, Topology topology) {
    return SliceLayout.of(placed, kindCounts, cut.size(), topology.depthOf(cut.level()).orElseThrow());
  }

  public Topology topology() {
    return cluster.topology();
  }

  public KindCounts kindCounts() {
    return demand.needs();
  }

  /// Whether all ways to share out the members can be worked through.
  public boolean isSmall() {
    return members.areFew() && slicing.map(cut -> cut.vectors().areFew()).orElse(true);
  }

  /// The states of what lies in a domain of the depth: slices above the level of slices, members
  /// elsewhere.
  public CountVectors statesAt(int depth) {
    return slicing.isPresent() && slicing.get().depth() > depth ? slicing.get().vectors() : members;
  }

  /// Whether a domain with this capacity could hold all, as far as GPUs are concerned.
  public boolean mayHold(DomainCapacity capacity, ModelFilter models) {
    if (capacity.freeMilli() < demand.gpuMilli()
        || models.freeMilli(capacity) < demand.gpuMilli()) {
      return false;
    }
    for (int kind = 0; kind < demand.kinds(); kind++) {
      Request request = demand.kind(kind);
      if (request.gpus() > 0 && models.holds(capacity, request.gpus()) < demand.count(kind)) {
        return false;
      }
    }
    return true;
  }

  /// Whether one of the domains with this peak could hold all, as far as GPUs are concerned.
  public boolean mayHold(MaxFreeCapacity maxFree) {
    boolean may = maxFree.freeMilli() >= demand.gpuMilli();
    for (int kind = 0; kind < demand.kinds() && may; kind++) {
      int gpus = demand.kind(kind).gpus();
      may = gpus == 0 || maxFree.holds(gpus) >= demand.count(kind);
    }
    return may;
  }

  /// Whether the nodes of a domain with this capacity could hold all, each kind of members by
  /// itself, as far as what is free on them goes. [#mayHold] costs less and goes by GPUs alone: it
  /// does not see that the GPUs which are free lie where no CPU is.
  public boolean mayFit(DomainCapacity capacity, ModelFilter models) {
    for (int kind = 0; kind < demand.kinds(); kind++) {
      if (!mayFit(capacity, models, demand.kind(kind), demand.count(kind))) {
        return false;
      }
    }
    return true;
  }

  private static boolean mayFit(DomainCapacity capacity, ModelFilter models, Request request, int count) {
    long open = count;
    for (FreeCapacity offer : capacity.vacancies().keys()) {
      if (offer.gpus() >= request.gpus() && models.takes(offer.kind(), request)) {
        int each = offer.free().holds(request.resources(), count);
        open -= each == 0 ? 0 : (long) each * capacity.vacancies().get(offer).orElse(0);
        if (open <= 0) {
          return true;
        }
      }
    }
    return false;
  }

  /// All that is to be held, as [#room] counts: members, where all are alike and ask for whole
  /// GPUs; else thousandths of GPUs.
  public long need() {
    return isCounted() ? demand.count(0) : demand.gpuMilli();
  }

  /// How much of [#need] a domain with this capacity could hold at most.
  public long room(DomainCapacity capacity, ModelFilter models) {
    return isCounted() ? models.holds(capacity, demand.kind(0).gpus()) : models.freeMilli(capacity);
  }

  private boolean isCounted() {
    return demand.kinds() == 1 && demand.kind(0).gpus() > 0;
  }

  /// Whether some member could find its GPUs here.
  public boolean mayTakeAny(DomainCapacity capacity, ModelFilter models) {
    for (int kind = 0; kind < demand.kinds(); kind++) {
      Request request = demand.kind(kind);
      boolean may =
          request.gpus() > 0
              ? models.holds(capacity, request.gpus()) > 0
              : models.freeMilli(capacity) >= request.gpuMilli();
      if (may) {
        return true;
      }
    }
    return false;
  }
}
