package dev.muster.core.placement.exact;

import dev.muster.core.fit.Verdict;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.FreeCapacity;
import dev.muster.core.node.NodeKind;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.CostLayout;
import dev.muster.core.placement.request.KindCounts;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PlacementPlan;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.ScoredPlan;
import dev.muster.core.placement.request.SliceLayout;
import dev.muster.core.placement.request.TrialNode;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Locality;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Finds the best single node for all members together.
///
/// Nodes with equal [FreeCapacity] leave equal fragmentation, so it is computed once for all of
/// them. The best free capacity is then searched only in domains with such a node. Among these
/// nodes the free GPUs of their domain decide.
///
/// Preferences for labels tell equal capacities apart. Where members have any, all nodes with
/// enough capacity are compared.
///
/// The static rules are checked only for a node that would be the best so far. If they refuse all
/// such nodes, the next best capacities are searched.
public final class SingleNodeSearch {
  /// Limit on searches for the next best capacities; the last one searches all that are left
  /// together.
  private static final int TRIES = 8;

  /// The effect of the members on a node.
  ///
  /// @param unmet unmet preferences
  /// @param slowness slowness of the narrowest link
  /// @param leftover increase of fragmentation
  /// @param slack free GPUs of the node before the placement
  private record Fit(long unmet, long slowness, long leftover, int slack) {
    /// Compares by all but slack; negative if this one is better.
    int compare(Fit other) {
      int side = Long.compare(unmet, other.unmet);
      side = side == 0 ? Long.compare(slowness, other.slowness) : side;
      return side == 0 ? Long.compare(leftover, other.leftover) : side;
    }

    Fit plus(long labels) {
      return labels == 0 ? this : new Fit(unmet + labels, slowness, leftover, slack);
    }
  }

  private record Offered(FreeCapacity freeCapacity, Fit fit) {}

  private final PlacementRequest query;
  private final ModelFilter models;
  private final KindCounts kindCounts;
  private final Resources resources;
  private final long gpus;
  private final Map<NodeKind, Boolean> refused = new LinkedHashMap<>();
  private @Nullable NodeKind lastKind;
  private boolean lastRefused;
  private final TreeMap<FreeCapacity, Fit> sought = new TreeMap<>();

  /// The marks of the searched capacities; nodes with other marks are skipped.
  private int marks;

  private int leastSlack;
  private boolean equallyGood;
  private Optional<NodeState> best = Optional.empty();
  private Fit bestFit = new Fit(0, 0, 0, 0);
  private long bestRoom;

  private SingleNodeSearch(PlacementRequest query, ModelFilter models) {
    this.query = query;
    this.models = models;
    this.kindCounts = query.kindCounts();
    this.resources = kindCounts.resources();
    this.gpus = kindCounts.gpus();
  }

  /// Returns the plan on the given node, if it takes all members.
  public static Optional<ScoredPlan> at(
      NodeState node, PlacementRequest query, ModelFilter models) {
    SingleNodeSearch search = new SingleNodeSearch(query, models);
    FreeCapacity freeCapacity = node.freeCapacity();
    Fit fit = search.fit(freeCapacity);
    if (fit != null) {
      search.sought.put(freeCapacity, fit);
    }
    search.look(node, 0);
    return search.candidate();
  }

  /// Returns the plan on the best node of a domain, if any node takes all members.
  public static Optional<ScoredPlan> in(
      TopologyDomain domain, PlacementRequest query, ModelFilter models) {
    SingleNodeSearch search = new SingleNodeSearch(query, models);
    List<Offered> offers = search.offers(domain.capacity());
    int equal = query.preferences().areOfLabels() ? 0 : TRIES;
    for (int tries = 1; !offers.isEmpty() && search.best.isEmpty(); tries++) {
      List<Offered> next = tries < equal ? best(offers) : List.copyOf(offers);
      search.search(next, tries < equal);
      search.visit(domain);
      if (search.best.isEmpty()) {
        offers.removeAll(next);
      }
    }
    return search.candidate();
  }

  /// Returns the free capacities in the domain that hold all members.
  private List<Offered> offers(DomainCapacity capacity) {
    List<Offered> found = new ArrayList<>();
    for (FreeCapacity freeCapacity : capacity.vacancies().keys()) {
      boolean may = freeCapacity.gpus() >= gpus;
      Fit fit = may && !isRefused(freeCapacity.kind()) ? fit(freeCapacity) : null;
      if (fit != null) {
        found.add(new Offered(freeCapacity, fit));
      }
    }
    return found;
  }

  /// Returns the best capacities, which are equally good.
  private static List<Offered> best(List<Offered> offers) {
    List<Offered> best = new ArrayList<>();
    for (Offered each : offers) {
      int side = best.isEmpty() ? 0 : each.fit().compare(best.getFirst().fit());
      if (side < 0) {
        best.clear();
      }
      if (side <= 0) {
        best.add(each);
      }
    }
    return best;
  }

  @SuppressWarnings("ReferenceEquality") // a cache only: equal kinds have equal answers
  private boolean isRefused(NodeKind nodes) {
    if (nodes != lastKind) {
      Boolean known = refused.get(nodes);
      if (known == null) {
        known = refuses(nodes);
        refused.put(nodes, known);
      }
      lastKind = nodes;
      lastRefused = known;
    }
    return lastRefused;
  }

  private boolean refuses(NodeKind nodes) {
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      Optional<Verdict> verdict = query.rules().verdictOfAll(nodes, kind);
      if (!models.takes(nodes, kindCounts.kinds().get(kind))
          || (verdict.isPresent() && verdict.get() instanceof Verdict.Vetoed)) {
        return true;
      }
    }
    return false;
  }

  private void search(List<Offered> offers, boolean equal) {
    sought.clear();
    marks = 0;
    leastSlack = Integer.MAX_VALUE;
    equallyGood = equal;
    for (Offered each : offers) {
      sought.put(each.freeCapacity(), each.fit());
      marks |= FreeCapacity.mark(each.freeCapacity().gpus());
      leastSlack = Math.min(leastSlack, each.fit().slack());
    }
  }

  private void visit(TopologyDomain domain) {
    if (isWorse(domain) || !offersSought(domain.capacity())) {
      return;
    }
    boolean labelled = domain.path().isLabelled();
    long room = domain.capacity().free();
    for (NodeState node : domain.nodes().marked(marks, NodeState::mark)) {
      look(node, labelled ? room : node.freeGpus());
      if (isUnsurpassed(labelled ? room : leastSlack)) {
        return;
      }
    }
    for (TopologyDomain child : domain.children()) {
      visit(child);
    }
  }

  /// True if no other node can be better when all domains have at least this many free GPUs.
  ///
  /// It requires that all searched capacities are equally good and that the best node so far has
  /// the least slack.
  private boolean isUnsurpassed(long room) {
    return equallyGood && best.isPresent() && bestRoom <= room && bestFit.slack <= leastSlack;
  }

  private boolean offersSought(DomainCapacity capacity) {
    boolean fewer = sought.size() <= capacity.vacancies().size();
    for (FreeCapacity each : fewer ? sought.keySet() : capacity.vacancies().keys()) {
      if (fewer ? capacity.vacancies().contains(each) : sought.containsKey(each)) {
        return true;
      }
    }
    return false;
  }

  /// True if no node directly in the domain can be better than the best so far.
  private boolean isWorse(TopologyDomain domain) {
    boolean comparable = equallyGood && best.isPresent() && !domain.nodes().isEmpty();
    if (!comparable || !domain.path().isLabelled()) {
      return false;
    }
    long room = domain.capacity().free();
    return room > bestRoom || (room == bestRoom && bestFit.slack <= leastSlack);
  }

  private void look(NodeState node, long room) {
    Fit alike = sought.get(node.freeCapacity());
    Fit fit = alike == null ? null : alike.plus(query.preferences().ofLabels(node.node()));
    if (fit != null && (best.isEmpty() || isBetter(fit, room)) && isTaken(node)) {
      best = Optional.of(node);
      bestFit = fit;
      bestRoom = room;
    }
  }

  private boolean isBetter(Fit fit, long room) {
    int side = fit.compare(bestFit);
    if (side != 0) {
      return side < 0;
    }
    return room != bestRoom ? room < bestRoom : fit.slack < bestFit.slack;
  }

  private boolean isTaken(NodeState node) {
    SliceLayout cut = query.slicing().orElse(null);
    boolean allowed = cut == null || cut.allows(cut.vectors().all(), node.place(cut.depth()));
    for (int kind = 0; kind < kindCounts.kinds().size() && allowed; kind++) {
      allowed = models.takes(node, kindCounts.kinds().get(kind)) && query.rules().takes(node, kind);
    }
    return allowed;
  }

  /// Returns the effect of the members on a node with this free capacity; null if they do not fit.
  private @Nullable Fit fit(FreeCapacity freeCapacity) {
    if (!freeCapacity.free().covers(resources)) {
      return null;
    }
    TrialNode trial = TrialNode.of(freeCapacity, query.demand());
    String model = freeCapacity.kind().model();
    long before = query.fragmentation().of(trial, model);
    boolean fits = true;
    for (int kind = 0; kind < kindCounts.kinds().size() && fits; kind++) {
      int count = query.demand().count(kind);
      fits = trial.fill(kind, count) == count;
    }
    long after = fits ? query.fragmentation().of(trial, model) : 0;
    return fits
        ? new Fit(
            query.preferences().ofTaints(freeCapacity.kind()),
            slowness(freeCapacity),
            after - before,
            freeCapacity.gpus())
        : null;
  }

  private long slowness(FreeCapacity freeCapacity) {
    Locality.Segment part =
        new Locality.Segment(
            "", DomainPath.ROOT, freeCapacity.machine(), (int) gpus, freeCapacity.gpuSet());
    return -part.inside();
  }

  private PlacementPlan plan(NodeState node) {
    PlacementPlan plan = new PlacementPlan();
    plan.add(node, kindCounts.counts());
    return plan;
  }

  private Optional<ScoredPlan> candidate() {
    return best.isPresent() ? Optional.of(candidate(best.get())) : Optional.empty();
  }

  private ScoredPlan candidate(NodeState node) {
    CostLayout terms = query.terms();
    long[] cost = new long[terms.words()];
    for (int depth = 1; depth <= terms.levels() + 1; depth++) {
      terms.add(cost, 0, depth, query.placed().areNear(node, depth) ? 0 : 1);
    }
    terms.addUnmet(cost, 0, bestFit.unmet);
    cost[terms.leftover()] = bestFit.leftover;
    cost[terms.freeGpus()] = bestRoom;
    cost[terms.slack()] = bestFit.slack;
    return ScoredPlan.of(query, models, plan(node), cost);
  }
}
