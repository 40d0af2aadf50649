package dev.muster.core.placement;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.fit.Veto;
import dev.muster.core.fit.VetoCounts;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.TopologyConstraint.Layout;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.diagnosis.RefusalDiagnosis;
import dev.muster.core.placement.exact.DomainCosts;
import dev.muster.core.placement.exact.SingleNodeSearch;
import dev.muster.core.placement.exact.SpanLowerBound;
import dev.muster.core.placement.request.ConstraintLevels;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.RankAssignment;
import dev.muster.core.placement.request.ScoredPlan;
import dev.muster.core.placement.request.SearchResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;

/// Finds the best place for members of a gang, all of them or none.
///
/// Goals: the least [Score]: the members near each other, in the narrowest topology domain that has
/// room; within it few domains, few nodes, and what is left over useful to others.
///
/// Constraints: what each member asks of a node; the level that the gang requires, and that of its
/// slices; one GPU model for all unless a mix will do; near the mates that have places already.
///
/// Algorithm: (1) For the most wanted GPU models first, and from single nodes up over the levels to
/// the required one, or to the whole cluster: take all domains of the level which what is free
/// there does not rule out, counted by GPUs ([dev.muster.core.node.DomainCapacity]) and then by all
/// that members need, and of them the one with the least score; those that cannot have it ([SpanLowerBound])
/// are left out. The first level at which there is one has the fewest domains spanned. (2) What a
/// domain can take at what cost is worked out from its nodes up, exactly ([DomainCosts], [MinPlusSum]); gangs
/// of so many kinds of members that this would take too long are packed greedily, and by trial
/// where that fails ([GreedyPacking], [ExactPacking]). (3) A balanced gang is placed again and again with
/// fewer members allowed on one node, as long as it spans no more. (4) Members take their places in
/// rank order along the fabric ([RankAssignment]).
///
/// Example: racks A (nodes with 8, 8, 4 GPUs free) and B (8, 8, 8, 8); a gang of 2 x 8. No node has
/// 16. Both racks hold it on two nodes and leave the same behind; A has 20 GPUs free, B 32: A it
/// is, and B stays whole for a gang of 4 x 8.
public final class PlacementSearch {
  private static final int NO_CAP = Integer.MAX_VALUE;

  private final Cluster cluster;
  private final List<Member> members;
  private final PlacementRequest query;

  private PlacementSearch(Cluster cluster, List<Member> members, PlacementRequest query) {
    this.cluster = cluster;
    this.members = members;
    this.query = query;
  }

  /// Searches a place for the members, given in rank order, of a gang whose specification is known.
  /// Nodes that are shunned are not used.
  public static SearchResult search(
      Cluster cluster, Gang gang, List<Member> members, SortedKeys<NodeId> shunned) {
    ConstraintLevels levels = new ConstraintLevels(cluster.topology(), gang.constraints().topology());
    Optional<Veto> unknown = levels.veto();
    if (unknown.isPresent()) {
      return new SearchResult.NotFound(unknown.get(), cluster.nodes().size(), VetoCounts.NONE);
    }
    PlacementRequest query = PlacementRequest.of(cluster, gang, members, shunned);
    return new PlacementSearch(cluster, members, query).search(levels.required());
  }

  private SearchResult search(int required) {
    for (List<ModelFilter> equallyWanted : choices()) {
      Optional<ScoredPlan> best = narrowest(equallyWanted, required);
      if (best.isPresent()) {
        return new SearchResult.Found(
            RankAssignment.of(best.get().plan(), members, query), cluster.nodes().size(), VetoCounts.NONE);
      }
    }
    return RefusalDiagnosis.of(query, required);
  }

  // ---- Which models, in which order ----

  /// The models to try, most wanted first; models that are wanted alike together.
  private List<List<ModelFilter>> choices() {
    if (query.constraints().gpus().mixed() || query.demand().gpuMilli() == 0) {
      return List.of(List.of(ModelFilter.ANY));
    }
    SortedSet<String> names = query.placed().models();
    if (names.isEmpty()) {
      for (DomainCapacity.Histogram free : cluster.fabric().capacity().byKind()) {
        names.add(free.kind().model());
      }
    }
    TreeMap<Integer, List<ModelFilter>> byRank = new TreeMap<>();
    GpuModelPreference wish = query.constraints().gpus();
    for (String name : names) {
      if (wish.accepts(name)) {
        ModelFilter one = new ModelFilter(Optional.of(name));
        byRank.computeIfAbsent(wish.rank(name), _ -> new ArrayList<>()).add(one);
      }
    }
    return List.copyOf(byRank.values());
  }

  // ---- The narrowest level ----

  private Optional<ScoredPlan> narrowest(List<ModelFilter> choice, int required) {
    if (members.size() == 1 && !query.placed().areSomewhere()) {
      return bestNode(choice); // no domain has more room for one than its nodes
    }
    Map<ModelFilter, DomainCosts> costTables = fabrics(choice, NO_CAP);
    costTables.keySet().removeIf(each -> !query.mayFit(cluster.fabric().capacity(), each));
    for (int depth = deepest(); depth >= required; depth--) {
      Optional<ScoredPlan> best = bestAt(depth, costTables);
      if (best.isPresent()) {
        boolean balanced = query.constraints().topology().layout() == Layout.BALANCED;
        return balanced ? balanced(best, depth, choice) : best;
      }
    }
    return Optional.empty();
  }

  private int deepest() {
    boolean free = !query.placed().areSomewhere() || query.placed().onlyNode().isPresent();
    return free ? query.topology().nodeDepth() : query.placed().common().depth();
  }

  private Map<ModelFilter, DomainCosts> fabrics(List<ModelFilter> choice, int mostOnNode) {
    Map<ModelFilter, DomainCosts> costTables = new LinkedHashMap<>();
    for (ModelFilter models : choice) {
      costTables.put(models, new DomainCosts(query, models, mostOnNode));
    }
    return costTables;
  }

  /// The best candidate with the fewest members on one node of all that span as little: fewer on
  /// one node never span less, so bisection finds it. Single nodes and greedy packings do not heed
  /// the cap: there is nothing evener there.
  private Optional<ScoredPlan> balanced(
      Optional<ScoredPlan> packed, int depth, List<ModelFilter> choice) {
    Optional<ScoredPlan> best = packed;
    int tooFew = 0;
    int enough = packed.orElseThrow().plan().mostOnNode();
    while (enough - tooFew > 1) {
      int cap = (tooFew + enough) >>> 1;
      Optional<ScoredPlan> evener = bestAt(depth, fabrics(choice, cap));
      if (evener.isPresent()
          && evener.get().plan().mostOnNode() <= cap
          && spansAlike(evener.get(), packed)) {
        best = evener;
        enough = evener.get().plan().mostOnNode();
      } else {
        tooFew = cap;
      }
    }
    return best;
  }

  private static boolean spansAlike(ScoredPlan evener, Optional<ScoredPlan> packed) {
    return evener.score().compareSpans(packed.orElseThrow().score()) == 0;
  }

  // ---- The best domain of one level ----

  private Optional<ScoredPlan> bestAt(int depth, Map<ModelFilter, DomainCosts> costTables) {
    return depth == query.topology().nodeDepth()
        ? bestNode(costTables.keySet())
        : bestDomain(depth, costTables);
  }

  private Optional<ScoredPlan> bestNode(Iterable<ModelFilter> choice) {
    Optional<ScoredPlan> best = Optional.empty();
    for (ModelFilter models : choice) {
      Optional<NodeState> only = query.placed().onlyNode();
      Optional<ScoredPlan> candidate =
          only.isPresent()
              ? SingleNodeSearch.at(only.get(), query, models)
              : SingleNodeSearch.in(cluster.fabric(), query, models);
      boolean better =
          candidate.isPresent() && (best.isEmpty() || candidate.get().isBetterThan(best.get()));
      best = better ? candidate : best;
    }
    return best;
  }

  /// A domain that may hold all.
  ///
  /// @param order of equal candidates the first stays
  private record Hope(SpanLowerBound bound, int order, TopologyDomain domain, DomainCosts costTable) {
    private static final Comparator<Hope> PROMISING =
        Comparator.comparing(Hope::bound).thenComparingInt(Hope::order);
  }

  private Optional<ScoredPlan> bestDomain(int depth, Map<ModelFilter, DomainCosts> costTables) {
    Optional<ScoredPlan> best = Optional.empty();
    int order = Integer.MAX_VALUE;
    for (Hope hope : hopes(depth, costTables)) {
      if (best.isPresent() && hope.bound().isBeyond(best.get().score(), depth)) {
        return best;
      }
      Optional<ScoredPlan> candidate =
          query.mayFit(hope.domain().capacity(), hope.costTable().models())
              ? hope.costTable().candidate(hope.domain())
              : Optional.empty();
      int side = candidate.isEmpty() ? 1 : best.map(b -> compare(candidate.get(), b)).orElse(-1);
      if (side < 0 || (side == 0 && hope.order() < order)) {
        best = candidate;
        order = hope.order();
      }
    }
    return best;
  }

  private static int compare(ScoredPlan one, ScoredPlan other) {
    return one.score().compareTo(other.score());
  }

  /// The domains that may hold all, those first that may span least.
  private List<Hope> hopes(int depth, Map<ModelFilter, DomainCosts> costTables) {
    List<Hope> hopes = new ArrayList<>();
    costTables.forEach((models, costTable) -> {
      for (TopologyDomain domain : domains(depth, models)) {
        hopes.add(new Hope(SpanLowerBound.of(domain, query, models), hopes.size(), domain, costTable));
      }
    });
    hopes.sort(Hope.PROMISING);
    return hopes;
  }

  private List<TopologyDomain> domains(int depth, ModelFilter models) {
    List<TopologyDomain> found = new ArrayList<>();
    Optional<TopologyDomain> home =
        query.placed().areSomewhere()
            ? cluster.fabric().at(query.placed().common().upTo(depth))
            : Optional.empty();
    collect(home.orElse(cluster.fabric()), depth, models, found);
    return found;
  }

  /// Domains are real ones only: the unlabelled nodes of a level are near nobody.
  private void collect(TopologyDomain domain, int depth, ModelFilter models, List<TopologyDomain> found) {
    if (!query.mayHold(domain.capacity(), models)) {
      return;
    }
    if (domain.path().depth() < depth) {
      if (query.mayHold(domain.maxFree(depth))) {
        domain.children().forEach(child -> collect(child, depth, models, found));
      }
    } else if (domain.path().isLabelled()) {
      found.add(domain);
    }
  }
}
