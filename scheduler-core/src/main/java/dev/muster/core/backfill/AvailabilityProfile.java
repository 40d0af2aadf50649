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

/// How many members of a gang the nodes would hold as others leave one by one: the availability
/// profile that backfilling is planned with (Feitelson & Weil 1998), counted node by node.
///
/// Goals: to tell when a gang cannot fit yet, for far less than a search costs.
///
/// Constraints: it rules out only what [dev.muster.core.placement.PlacementSearch] would not find.
///
/// Algorithm: each node is asked how many members of each kind it would hold if all were of that
/// kind. These numbers are summed over each domain of the level that the gang requires, and over
/// the nodes of each GPU model unless a mix will do: one of these sums must be enough for every
/// kind. Whoever leaves changes one node and one sum. The walk goes only as far as is asked, and
/// what was seen on the way is kept.
///
/// Example: 2 x 8; n1 has 4 GPUs free, n2 none, and these leave: 4 from n1, 3 and 5 from n2. The
/// nodes hold 0, 1, 1 and 2 members: before all three have left no search is worth its while.
final class AvailabilityProfile {
  /// A domain, or what of it is of one model: one of these has to hold the whole gang.
  private record Place(String model, DomainPath domain) {}

  /// A node as those leave it.
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
  private int places; // that have enough
  private int gone;

  AvailabilityProfile(Cluster cluster, Gang gang, List<Member> members, List<ExpectedRelease> releases) {
    this.releases = releases;
    LinkedHashMap<Request, Integer> kinds = new LinkedHashMap<>();
    members.forEach(member -> kinds.merge(member.request(), 1, Integer::sum));
    this.counts = List.copyOf(kinds.values());
    GangConstraints constraints = gang.constraints();
    Topology topology = cluster.topology();
    kinds.keySet().forEach(request -> asks.add(MemberRequirements.of(request, constraints, topology)));
    boolean mixed = constraints.gpus().mixed() || !kinds.keySet().stream().allMatch(Request::wantsGpu);
    int depth = topology.requiredDepth(constraints.topology().required());
    for (NodeState node : cluster.nodes()) {
      String model = mixed ? "" : node.kind().model();
      Site site = new Site(new Place(model, node.place(depth)), new int[asks.size()], node);
      sites.put(node.id(), site);
      count(site);
    }
  }

  /// Whether there may be a place once so many have left, at least 1.
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

  /// How many members of the kind the node would hold.
  private int held(NodeState node, int kind) {
    MemberRequirements ask = asks.get(kind);
    Request request = ask.request();
    int most = request.onePerNode() ? 1 : counts.get(kind);
    int byGpus = request.gpus() == 0 ? most : Math.min(most, node.freeGpus() / request.gpus());
    int held = byGpus == 0 ? 0 : node.free().holds(request.resources(), byGpus);
    return held > 0 && LastingRules.veto(ask, node.node()).isEmpty() ? held : 0;
  }
}
