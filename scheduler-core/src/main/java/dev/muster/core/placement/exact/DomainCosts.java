package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.greedy.GreedySearch;
import dev.muster.core.placement.request.CostLayout;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PackingAllowance;
import dev.muster.core.placement.request.PlacementPlan;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.ScoredPlan;
import dev.muster.core.placement.request.SliceLayout;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Vertex;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Predicate;

/// The cost of each number of members in each domain, for one search and one choice of GPU models.
///
/// The costs are computed exactly from the nodes upwards, once for each domain and only on request.
///
/// A domain costs 1 at its level, unless it contains a placed member already. The free GPUs of an
/// innermost domain count too. Nodes without a level's label are not near any other node. Each
/// child of such an unlabelled domain counts as a domain of that level by itself.
///
/// Example: rack r1 has nodes n1 and n2, rack r2 has n3 and n4. The first node of each rack has 8
/// free GPUs, the second has 4. The gang has four equal members of 4 GPUs, so state 3 of
/// [CountVectors] is three members.
///
/// [NodeOptionTable] computes the costs of nodes, and [MinPlusSum] combines the nodes of a rack.
/// The rack adds its own costs, and [MinPlusSum] combines the racks. A cost in the table is: racks,
/// nodes / increase of fragmentation / free GPUs of the racks / free GPUs of the nodes, as in
/// [CostLayout].
///
/// | nodes or racks | 1 | 2 | 3 | 4 |
/// | --- | --- | --- | --- | --- |
/// | n1 or n3 | 0, 1 / 16,000 / 0 / 8 | 0, 1 / 0 / 0 / 8 | | |
/// | n2 or n4 | 0, 1 / 0 / 0 / 4 | | | |
/// | n1 and n2 | 0, 1 / 0 / 0 / 4 | 0, 1 / 0 / 0 / 8 | 0, 2 / 0 / 0 / 12 | |
/// | r1, or r2 | 1, 1 / 0 / 12 / 4 | 1, 1 / 0 / 12 / 8 | 1, 2 / 0 / 12 / 12 | |
/// | r1 and r2 | 1, 1 / 0 / 12 / 4 | 1, 1 / 0 / 12 / 8 | 1, 2 / 0 / 12 / 12 | 2, 2 / 0 / 24 / 16 |
///
/// One member alone would go to n2 or n4, because n1 and n3 would no longer be whole. The four
/// members go to n1 and n3, two on each. Three in one rack and one in the other also span 2 racks,
/// but 3 nodes.
public final class DomainCosts {
  private final PlacementRequest query;
  private final ModelFilter models;
  private final EligibleNodes berths;
  private final LinkedDomains linked;
  private final boolean isExact;
  private final PackingAllowance allowance = PackingAllowance.ofSearch();
  private final Map<DomainPath, CostNode> known = new LinkedHashMap<>();

  /// @param mostOnNode limit on the members of one node
  public DomainCosts(PlacementRequest query, ModelFilter models, int mostOnNode) {
    this.query = query;
    this.models = models;
    this.berths = new EligibleNodes(query, models, mostOnNode);
    this.linked = new LinkedDomains(query.cluster());
    this.isExact = query.isSmall();
  }

  public ModelFilter models() {
    return models;
  }

  /// Returns the best plan for all members in the domain, if there is one.
  public Optional<ScoredPlan> candidate(TopologyDomain domain) {
    if (!isExact) {
      return GreedySearch.candidate(domain, query, models, allowance);
    }
    Optional<ScoredPlan> best = candidate(domain, isPlain(domain) ? fewest(domain) : of(domain));
    return best.map(all -> bestJoined(domain, all));
  }

  /// Returns the best of a candidate and the candidates that use only linked children.
  private ScoredPlan bestJoined(TopologyDomain domain, ScoredPlan all) {
    ScoredPlan best = all;
    for (SortedSet<Vertex> places : linked.in(domain)) {
      CostNode within =
          branch(
              domain,
              child -> places.contains(new Vertex.Domain(child.path())),
              node -> places.contains(new Vertex.Node(node.id().name())));
      Optional<ScoredPlan> other = candidate(domain, within);
      if (other.isPresent() && other.get().isBetterThan(best)) {
        best = other.get();
      }
    }
    return best;
  }

  private Optional<ScoredPlan> candidate(TopologyDomain domain, CostNode branch) {
    int all = goal(domain.path().depth());
    if (branch.costs().most() != all || !isAllowed(domain.path())) {
      return Optional.empty();
    }
    PlacementPlan plan = new PlacementPlan();
    branch.collect(all, plan);
    return Optional.of(ScoredPlan.of(query, models, plan, branch.costs().last()));
  }

  /// True if the capacities of the children add up. Each child then costs one domain that counts
  /// before what is left behind.
  private boolean isPlain(TopologyDomain domain) {
    return domain.path().depth() < Math.min(query.topology().depth(), query.terms().near())
        && query.slicing().isEmpty()
        && !query.placed().areSomewhere();
  }

  /// Returns costs of the domain in which only the state of all members is reliable.
  ///
  /// A placement of all members spans the fewest children. Each of these must hold what the others
  /// cannot, so smaller children are skipped. If that fails, more children are allowed.
  private CostNode fewest(TopologyDomain domain) {
    int depth = domain.path().depth();
    long[] rooms = SpanLowerBound.capacities(domain.children(), query, models);
    int count = SpanLowerBound.fewest(rooms, query.need());
    while (count <= rooms.length) {
      long least = SpanLowerBound.leastOf(rooms, count, query.need());
      if (least <= 0) {
        return of(domain);
      }
      CostNode.PartProfile profile =
          priced(domain, sum(domain, child -> hasRoom(child, least), _ -> true).profile());
      boolean holds = profile.costs().most() == goal(depth);
      long spans = holds ? query.terms().spans(profile.costs().last(), 0, depth + 1) : count + 1L;
      if (holds && spans <= count) {
        return profile;
      }
      count = (int) spans;
    }
    return of(domain);
  }

  private boolean hasRoom(TopologyDomain domain, long least) {
    return query.room(domain.capacity(), models) >= least;
  }

  /// Returns the state of all members, or of all slices, in a domain of this depth. At the level of
  /// slices and above, slices are counted.
  private int goal(int depth) {
    SliceLayout cut = query.slicing().orElse(null);
    return (cut != null && cut.depth() >= depth ? cut.vectors() : query.members()).all();
  }

  /// True if all slices may lie in the domain of their level around this place.
  private boolean isAllowed(DomainPath place) {
    SliceLayout cut = query.slicing().orElse(null);
    return cut == null
        || cut.depth() >= place.depth()
        || cut.allows(cut.vectors().all(), place.upTo(cut.depth()));
  }

  /// Returns the costs of the domain.
  CostNode of(TopologyDomain domain) {
    CostNode before = known.get(domain.path());
    if (before != null) {
      return before;
    }
    CostNode branch = branch(domain, _ -> true, _ -> true);
    known.put(domain.path(), branch);
    return branch;
  }

  /// Returns the costs of the domain if only matching children or nodes are used.
  private CostNode branch(
      TopologyDomain domain, Predicate<TopologyDomain> children, Predicate<NodeState> nodes) {
    CostNode.PartProfile members = priced(domain, sum(domain, children, nodes).profile());
    SliceLayout cut = query.slicing().orElse(null);
    return cut != null && cut.depth() == domain.path().depth()
        ? sliced(members, cut, domain.path())
        : members;
  }

  /// Combines the matching children of the domain, or the matching nodes of an innermost domain.
  private MinPlusSum sum(
      TopologyDomain domain, Predicate<TopologyDomain> children, Predicate<NodeState> nodes) {
    MinPlusSum sum = new MinPlusSum(query.statesAt(domain.path().depth()), query.terms());
    if (domain.path().depth() == query.topology().depth()) {
      berths.in(domain, nodes).forEach(sum::add);
    } else {
      for (TopologyDomain child : domain.children()) {
        if (query.mayTakeAny(child.capacity(), models) && children.test(child)) {
          sum.add(of(child));
        }
      }
    }
    return sum;
  }

  /// Adds the domain's own costs to the profile.
  private CostNode.PartProfile priced(TopologyDomain domain, CostNode.PartProfile profile) {
    CostLayout terms = query.terms();
    int depth = domain.path().depth();
    boolean real = domain.path().isLabelled();
    long room = real && depth == query.topology().depth() ? domain.capacity().free() : 0;
    long own = query.placed().areIn(domain.path()) ? 0 : 1;
    long[] cost = profile.costs().words();
    for (int at = 0; at < cost.length; at += terms.words()) {
      cost[at + terms.freeGpus()] += room;
      if (depth > 0) {
        terms.add(cost, at, depth, real ? own : terms.spans(cost, at, depth + 1));
      }
    }
    return profile;
  }

  /// Returns the costs of the domain by numbers of whole slices.
  private static CostNode sliced(CostNode within, SliceLayout cut, DomainPath place) {
    int[] states = new int[cut.vectors().all()];
    int[] members = new int[states.length];
    for (int i = 0; i < states.length; i++) {
      states[i] = i + 1;
      members[i] = cut.allows(i + 1, place) ? cut.members(i + 1) : -1;
    }
    return new CostNode.Sliced(within.costs().renumbered(states, members), within, cut);
  }
}
