package dev.muster.core.placement.request;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.fit.Ask;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Slices;
import dev.muster.core.gang.Wishes;
import dev.muster.core.node.Capacity;
import dev.muster.core.node.Peak;
import dev.muster.core.node.Vacancy;
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
public record Question(
    Cluster cluster,
    Wishes wishes,
    Demand demand,
    Mates mates,
    NodeRules rules,
    States members,
    Optional<Slicing> slicing,
    CostLayout terms,
    Fragmentation fragmentation) {
  /// The question where to place the members, given in rank order, of a gang whose specification is
  /// known; nodes that are shunned are not used.
  public static Question of(Cluster cluster, Gang gang, List<Member> members, SortedKeys<NodeId> shunned) {
    Wishes wishes = gang.wishes();
    Topology topology = cluster.topology();
    Needs needs = Needs.of(members);
    Mates mates = new Mates(cluster, gang, members);
    Optional<Slices> slices = wishes.topology().slices();
    List<Ask> asks = new ArrayList<>();
    for (Request kind : needs.kinds()) {
      asks.add(Ask.of(kind, wishes, topology));
    }
    return new Question(
        cluster,
        wishes,
        new Demand(needs),
        mates,
        new NodeRules(
            asks,
            slices.isPresent() ? topology.labelOf(slices.get().level()) : Optional.empty(),
            shunned,
            mates),
        new States(needs.counts()),
        slices.isPresent()
            ? Optional.of(slicing(slices.get(), mates, needs, topology))
            : Optional.empty(),
        new CostLayout(topology.depth(), members.size()),
        new Fragmentation(cluster.mix()));
  }

  private static Slicing slicing(Slices cut, Mates mates, Needs needs, Topology topology) {
    return Slicing.of(mates, needs, cut.size(), topology.depthOf(cut.level()).orElseThrow());
  }

  public Topology topology() {
    return cluster.topology();
  }

  public Needs needs() {
    return demand.needs();
  }

  /// Whether all ways to share out the members can be worked through.
  public boolean isSmall() {
    return members.areFew() && slicing.map(cut -> cut.states().areFew()).orElse(true);
  }

  /// The states of what lies in a domain of the depth: slices above the level of slices, members
  /// elsewhere.
  public States statesAt(int depth) {
    return slicing.isPresent() && slicing.get().depth() > depth ? slicing.get().states() : members;
  }

  /// Whether a domain with this capacity could hold all, as far as GPUs are concerned.
  public boolean mayHold(Capacity capacity, ModelFilter models) {
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
  public boolean mayHold(Peak peak) {
    boolean may = peak.freeMilli() >= demand.gpuMilli();
    for (int kind = 0; kind < demand.kinds() && may; kind++) {
      int gpus = demand.kind(kind).gpus();
      may = gpus == 0 || peak.holds(gpus) >= demand.count(kind);
    }
    return may;
  }

  /// Whether the nodes of a domain with this capacity could hold all, each kind of members by
  /// itself, as far as what is free on them goes. [#mayHold] costs less and goes by GPUs alone: it
  /// does not see that the GPUs which are free lie where no CPU is.
  public boolean mayFit(Capacity capacity, ModelFilter models) {
    for (int kind = 0; kind < demand.kinds(); kind++) {
      if (!mayFit(capacity, models, demand.kind(kind), demand.count(kind))) {
        return false;
      }
    }
    return true;
  }

  private static boolean mayFit(Capacity capacity, ModelFilter models, Request request, int count) {
    long open = count;
    for (Vacancy offer : capacity.vacancies().keys()) {
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
  public long room(Capacity capacity, ModelFilter models) {
    return isCounted() ? models.holds(capacity, demand.kind(0).gpus()) : models.freeMilli(capacity);
  }

  private boolean isCounted() {
    return demand.kinds() == 1 && demand.kind(0).gpus() > 0;
  }

  /// Whether some member could find its GPUs here.
  public boolean mayTakeAny(Capacity capacity, ModelFilter models) {
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
