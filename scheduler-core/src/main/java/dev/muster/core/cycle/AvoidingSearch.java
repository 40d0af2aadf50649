package dev.muster.core.cycle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.AvoidedNodes;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchCost;
import dev.muster.core.placement.request.SearchResult;
import java.util.List;
import java.util.Optional;

/// A placement search that avoids the nodes on which members of the gang recently failed.
///
/// **Goals.** The gang tries other nodes first. It says what it really lacks.
///
/// **Algorithm.**
///
/// 1. All nodes with failures are left out. If there is no place, no node is left out. If there is
///    none then either, that is the answer.
/// 2. Nodes that are only to be used last are added, the oldest failure first, until there is a
///    place.
/// 3. So are nodes on which members died, if the place has another node, too. Members of a gang die
///    together, so some of these nodes may be sound.
/// 4. If only the nodes still left out make a place possible, the gang waits until the first of
///    them may be used again.
///
/// **Example.** A gang of two members died twice on n1 and n2, and n3 is free. It is placed on n1
/// and n3. If it dies there twice, it waits until n1 may be used again.
final class AvoidingSearch {
  /// The number of nodes that are added one by one; then the rest is added at once. So are all
  /// nodes if a search costs much.
  private static final int ONE_BY_ONE = 4;

  private final Cluster cluster;
  private final Gang gang;
  private final List<Member> members;
  private final SortedKeys<NodeId> unused;
  private final AvoidedNodes avoided;

  private AvoidingSearch(Cluster cluster, Gang gang, List<Member> members) {
    this.cluster = cluster;
    this.gang = gang;
    this.members = members;
    this.unused =
        cluster.reservations().get(gang.id()).map(Reservation::shunned).orElse(SortedKeys.empty());
    this.avoided = cluster.avoided(gang.id());
  }

  /// Searches a placement of the members, which are given in rank order.
  static SearchResult search(Cluster cluster, Gang gang, List<Member> members) {
    return new AvoidingSearch(cluster, gang, members).search();
  }

  private SearchResult search() {
    SortedKeys<NodeId> strict = avoided.strict();
    SortedKeys<NodeId> all = strict.withAll(avoided.last());
    SearchResult first = without(all);
    if (first instanceof SearchResult.Found || all.isEmpty()) {
      return first;
    }
    SearchResult open = without(SortedKeys.empty());
    if (!(open instanceof SearchResult.Found)) {
      return open; // fewer nodes have no place either
    }
    Optional<SearchResult> added =
        adding(avoided.last(), all, SortedKeys.empty())
            .or(() -> adding(avoided.deadly(), strict, strict));
    if (added.isPresent()) {
      return added.get();
    }
    return !strict.isEmpty()
        ? new SearchResult.NotFound(veto(avoided, strict), first.nodes(), first.vetoCounts())
        : open;
  }

  private SearchResult without(SortedKeys<NodeId> nodes) {
    return PlacementSearch.search(cluster, gang, members, unused.withAll(nodes));
  }

  /// Returns the first place that is found when nodes are added one by one.
  ///
  /// @param failed nodes of which the place must not only consist
  private Optional<SearchResult> adding(
      List<NodeId> nodes, SortedKeys<NodeId> leftOut, SortedKeys<NodeId> failed) {
    SortedKeys<NodeId> still = leftOut;
    boolean isCostly = SearchCost.isHigh(SearchCost.of(members, cluster.nodes().size()));
    int oneByOne = isCostly ? 0 : ONE_BY_ONE;
    for (int i = 0; i < nodes.size(); i++) {
      still = still.without(nodes.get(i));
      if (i < oneByOne || i + 1 == nodes.size()) {
        SearchResult result = without(still);
        if (result instanceof SearchResult.Found(var placement, _, _)) {
          boolean other =
              placement.assignments().stream().anyMatch(a -> !failed.contains(a.node()));
          return Optional.of(result).filter(_ -> other);
        }
      }
    }
    return Optional.empty();
  }

  private static Veto veto(AvoidedNodes avoided, SortedKeys<NodeId> strict) {
    AvoidedNodes.Failures first = avoided.first().orElseThrow();
    return new Veto.PlacesAvoided(
        strict.size(), first.node(), first.cause(), first.until().orElseThrow(), first.message());
  }
}
