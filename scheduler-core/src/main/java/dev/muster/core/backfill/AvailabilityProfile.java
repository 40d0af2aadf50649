package dev.muster.core.backfill;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Topology;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The number of a gang's members that the nodes would hold as running pods end one by one.
///
/// It is the availability profile that backfilling is planned with (Feitelson & Weil 1998), counted
/// node by node.
///
/// *Goals:* to state that a gang cannot fit yet, at far less than the cost of a search.
///
/// *Constraints:* it rules out only cases in which [dev.muster.core.placement.PlacementSearch]
/// would find no place.
///
/// *Algorithm:* for each node and each kind of member, the profile counts the members that the node
/// would hold if all were of that kind. It sums these numbers over each domain of the level that
/// the gang requires. If the gang does not accept a mix of GPU models, it sums them for each model
/// apart. One of these sums must be enough for every kind. A pod that ends changes one node and one
/// sum. The profile is computed only as far as it is needed, and its results are kept.
///
/// *Example:* 2 x 8. n1 has 4 GPUs free, n2 none. These pods end: 4 GPUs on n1, then 3 and 5 on n2.
/// The nodes hold 0, 1, 1 and 2 members. Before all three pods have ended, no search is worthwhile.
final class AvailabilityProfile {
  /// A domain, or its nodes of one model. One place must hold the whole gang.
  private record Place(String model, DomainPath domain) {}

  /// A node as the ended pods leave it.
  private static final class Site {
    private final Place place;
    private final int[] held;
    private NodeState state;

    Site(Place place, int[] held, NodeState state) {
      this.place = place;
      this.held = held;
      this.state = state;
    }
  }

  private final List<ExpectedRelease> releases;
  private final List<MemberRequirements> asks = new ArrayList<>();
  private final List<Integer> counts;
  private final Map<NodeId, Site> sites = new LinkedHashMap<>();
  private final Map<Place, int[]> sums = new LinkedHashMap<>();
  private final BitSet enough = new BitSet();
  private int places; // with enough members
  private int gone;

  AvailabilityProfile(
      Cluster cluster, Gang gang, List<Member> members, List<ExpectedRelease> releases) {
    this.releases = releases;
    LinkedHashMap<Request, Integer> kinds = new LinkedHashMap<>();
    members.forEach(member -> kinds.merge(member.request(), 1, Integer::sum));
    this.counts = List.copyOf(kinds.values());
    GangConstraints constraints = gang.constraints();
    Topology topology = cluster.topology();
    kinds
        .keySet()
        .forEach(request -> asks.add(MemberRequirements.of(request, constraints, topology)));
    boolean mixed =
        constraints.gpus().mixed() || !kinds.keySet().stream().allMatch(Request::wantsGpu);
    int depth = topology.requiredDepth(constraints.topology().required());
    for (NodeState node : cluster.nodes()) {
      String model = mixed ? "" : node.kind().model();
      Site site = new Site(new Place(model, node.place(depth)), new int[asks.size()], node);
      sites.put(node.id(), site);
      count(site);
    }
  }

  /// True if there may be a place once this many pods have ended, at least 1.
  boolean mayHold(int left) {
    while (gone < left) {
      ExpectedRelease release = releases.get(gone++);
      Site site = sites.get(release.node());
      if (site != null) {
        site.state = site.state.without(release.pod());
        count(site);
      }
      enough.set(gone, places > 0);
    }
    return enough.get(left);
  }

  private void count(Site site) {
    boolean isNew = !sums.containsKey(site.place);
    int[] sum = sums.computeIfAbsent(site.place, _ -> new int[asks.size()]);
    places -= !isNew && isEnough(sum) ? 1 : 0;
    for (int kind = 0; kind < sum.length; kind++) {
      int now = held(site.state, kind);
      sum[kind] += now - site.held[kind];
      site.held[kind] = now;
    }
    places += isEnough(sum) ? 1 : 0;
  }

  private boolean isEnough(int[] sum) {
    for (int kind = 0; kind < sum.length; kind++) {
      if (sum[kind] < counts.get(kind)) {
        return false;
      }
    }
    return true;
  }

  /// Returns the number of members of the kind that the node would hold.
  private int held(NodeState node, int kind) {
    MemberRequirements ask = asks.get(kind);
    Request request = ask.request();
    int most = request.onePerNode() ? 1 : counts.get(kind);
    int byGpus = request.gpus() == 0 ? most : Math.min(most, node.freeGpus() / request.gpus());
    int held = byGpus == 0 ? 0 : node.free().holds(request.resources(), byGpus);
    return held > 0 && LastingRules.veto(ask, node.node()).isEmpty() ? held : 0;
  }
}
