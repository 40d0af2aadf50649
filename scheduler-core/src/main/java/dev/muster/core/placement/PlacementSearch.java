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

/// Finds the best placement of a gang's members, all of them or none.
///
/// Goals: the least [Score]. Members are near each other, in the narrowest topology domain with
/// enough capacity. Within it they use few domains and few nodes, and the capacity left over stays
/// useful to other gangs.
///
/// Constraints:
///
/// - the request of each member;
/// - the level at which one domain must hold the gang, and the level of slices;
/// - one GPU model for all members, unless a mix is accepted;
/// - members that already have a place, near which the others must be.
///
/// Algorithm:
///
/// 1. Try the most wanted GPU models first. Go up from single nodes, or from the level that is near
///    enough to the gang, over the levels to the required one, or to the whole cluster.
/// 2. At each level, take the domains whose free capacity does not rule out the gang. GPUs are
///    counted first ([dev.muster.core.node.DomainCapacity]), then all resources that members need.
///    Choose the domain with the least score; domains that cannot have it are skipped
///    ([SpanLowerBound]). The first level with a placement spans the fewest domains.
/// 3. Compute the cost of each number of members in a domain exactly, from its nodes upwards
///    ([DomainCosts], [MinPlusSum]). Gangs with too many kinds of members for that are packed
///    greedily ([GreedyPacking]), and by bounded backtracking if that fails ([ExactPacking]).
/// 4. Place a balanced gang repeatedly with fewer members allowed on one node, as long as it spans
///    no more.
/// 5. Assign the members to their places in rank order along the topology ([RankAssignment]).
///
/// Example: rack A has nodes with 8, 8 and 4 free GPUs, rack B with 8, 8, 8 and 8. A gang has 2
/// members of 8 GPUs. No node has 16 free GPUs. Both racks hold the gang on two nodes and leave
/// equal fragmentation. A has 20 free GPUs and B 32, so A is chosen, and B stays whole for a gang
/// of 4 x 8.
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

  /// Searches a placement of the members, which are given in rank order. The specification of the
  /// gang must be known. Shunned nodes are not used.
  public static SearchResult search(
      Cluster cluster, Gang gang, List<Member> members, SortedKeys<NodeId> shunned) {
    ConstraintLevels levels =
        new ConstraintLevels(cluster.topology(), gang.constraints().topology());
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
            RankAssignment.of(best.get().plan(), members, query),
            cluster.nodes().size(),
            VetoCounts.NONE);
      }
    }
    return RefusalDiagnosis.of(query, required);
  }

  // ---- GPU models and their order ----

  /// Returns the models to try, most wanted first. Models of equal rank form one group.
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
      return bestNode(choice); // for one member, no domain holds more than its nodes
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

  /// Returns the depth at which the search begins. Inside a domain that is near enough, narrower
  /// domains are no better.
  private int deepest() {
    boolean free = !query.placed().areSomewhere() || query.placed().onlyNode().isPresent();
    int narrowest = free ? query.topology().nodeDepth() : query.placed().common().depth();
    return Math.min(narrowest, query.terms().near());
  }

  private Map<ModelFilter, DomainCosts> fabrics(List<ModelFilter> choice, int mostOnNode) {
    Map<ModelFilter, DomainCosts> costTables = new LinkedHashMap<>();
    for (ModelFilter models : choice) {
      costTables.put(models, new DomainCosts(query, models, mostOnNode));
    }
    return costTables;
  }

  /// Returns the candidate with the fewest members per node among those with the least span.
  ///
  /// A lower cap on members per node never spans less, so bisection finds the lowest cap. Single
  /// nodes and greedy packings ignore the cap: no more even placement exists for them.
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

  /// A domain that may hold all members, with a lower bound on its span.
  ///
  /// @param order position before sorting; of equal candidates the first is kept
  private record Hope(
      SpanLowerBound bound, int order, TopologyDomain domain, DomainCosts costTable) {
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

  /// Returns the domains that may hold all members, least lower bound first.
  private List<Hope> hopes(int depth, Map<ModelFilter, DomainCosts> costTables) {
    List<Hope> hopes = new ArrayList<>();
    costTables.forEach((models, costTable) -> {
      for (TopologyDomain domain : domains(depth, models)) {
        hopes.add(
            new Hope(SpanLowerBound.of(domain, query, models), hopes.size(), domain, costTable));
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

  /// Collects the domains of the depth that may hold all members. Domains without a label are left
  /// out, because unlabelled nodes are not near any other node.
  private void collect(
      TopologyDomain domain, int depth, ModelFilter models, List<TopologyDomain> found) {
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
