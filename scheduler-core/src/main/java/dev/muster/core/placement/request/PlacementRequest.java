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

/// The input of one placement search.
///
/// @param cluster image that is searched
/// @param constraints constraints of the gang
/// @param demand demand of the members to be placed
/// @param placed members of the gang and their places
/// @param rules rules on which nodes may take the members
/// @param members numbers of members to be placed, by kind
/// @param slicing slices of the gang, if it has any
/// @param terms layout of costs
/// @param preferences measure of what members prefer and a node does not offer
/// @param fragmentation measure of what a placement leaves unusable
public record PlacementRequest(
    Cluster cluster,
    GangConstraints constraints,
    KindDemand demand,
    PlacedMembers placed,
    NodeEligibility rules,
    CountVectors members,
    Optional<SliceLayout> slicing,
    CostLayout terms,
    NodePreferences preferences,
    Fragmentation fragmentation) {
  /// Creates the request to place these members, given in rank order. The specification of the gang
  /// must be known. Shunned nodes are not used.
  public static PlacementRequest of(
      Cluster cluster, Gang gang, List<Member> members, SortedKeys<NodeId> shunned) {
    GangConstraints constraints = gang.constraints();
    Topology topology = cluster.topology();
    KindCounts kindCounts = KindCounts.of(members);
    NodePreferences preferences = new NodePreferences(kindCounts, cluster.fabric().capacity());
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
        new CostLayout(
            topology.depth(),
            new ConstraintLevels(topology, constraints.topology()).near(),
            members.size(),
            preferences.matter()),
        preferences,
        new Fragmentation(cluster.mix()));
  }

  private static SliceLayout slicing(
      Slices cut, PlacedMembers placed, KindCounts kindCounts, Topology topology) {
    return SliceLayout.of(
        placed, kindCounts, cut.size(), topology.depthOf(cut.level()).orElseThrow());
  }

  public Topology topology() {
    return cluster.topology();
  }

  public KindCounts kindCounts() {
    return demand.needs();
  }

  /// True if all ways to distribute the members can be enumerated.
  public boolean isSmall() {
    int nodes = cluster.nodes().size();
    return SearchCost.isExact(kindCounts(), nodes)
        && slicing.map(cut -> SearchCost.isExact(cut.vectors(), nodes)).orElse(true);
  }

  /// Returns the states of nodes and domains below a domain of the depth. They count slices above
  /// the level of slices, and members elsewhere.
  public CountVectors statesAt(int depth) {
    return slicing.isPresent() && slicing.get().depth() > depth ? slicing.get().vectors() : members;
  }

  /// True if the GPUs of a domain with this capacity could hold all members.
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

  /// True if the GPUs of a domain below this maximum could hold all members.
  public boolean mayHold(MaxFreeCapacity maxFree) {
    boolean may = maxFree.freeMilli() >= demand.gpuMilli();
    for (int kind = 0; kind < demand.kinds() && may; kind++) {
      int gpus = demand.kind(kind).gpus();
      may = gpus == 0 || maxFree.holds(gpus) >= demand.count(kind);
    }
    return may;
  }

  /// True if the free capacity of the domain's nodes could hold each kind of members alone. It must
  /// also cover what all kinds need together.
  ///
  /// [#mayHold] is cheaper but counts only GPUs. It misses free GPUs on nodes without free CPU.
  public boolean mayFit(DomainCapacity capacity, ModelFilter models) {
    for (int kind = 0; kind < demand.kinds(); kind++) {
      if (!mayFit(capacity, models, demand.kind(kind), demand.count(kind))) {
        return false;
      }
    }
    return demand.kinds() == 1 || capacity.covers(kindCounts().resources());
  }

  private static boolean mayFit(
      DomainCapacity capacity, ModelFilter models, Request request, int count) {
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

  /// Returns the total demand in the unit of [#room].
  ///
  /// The unit is members if all members are alike and need whole GPUs, else thousandths of GPUs.
  public long need() {
    return isCounted() ? demand.count(0) : demand.gpuMilli();
  }

  /// Returns an upper bound on the part of [#need] that a domain with this capacity could hold.
  public long room(DomainCapacity capacity, ModelFilter models) {
    return isCounted() ? models.holds(capacity, demand.kind(0).gpus()) : models.freeMilli(capacity);
  }

  private boolean isCounted() {
    return demand.kinds() == 1 && demand.kind(0).gpus() > 0;
  }

  /// True if the GPUs of a domain with this capacity could hold at least one member.
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
