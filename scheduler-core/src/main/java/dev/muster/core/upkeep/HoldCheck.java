package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/// A hold check decides whether a place can still serve the gang that it is kept for.
///
/// @param policies the limits of queues
/// @param state the present facts
public record HoldCheck(Policies policies, State state) {
  /// True if guarantee claims of other queues now cover GPUs that the queue would have to borrow.
  /// The gang could not start, and would keep them from those queues. Usage of its own queue may
  /// end by then.
  boolean isClaimed(Hold hold) {
    if (policies.quota().isOpen()) {
      return false;
    }
    Cluster cluster = state.cluster();
    Gang gang = cluster.gang(hold.gang());
    Policies unclaimed = policies.unclaimed(new TreeSet<>(cluster.ledger().supply().keys()));
    GpuModelPreference most = unclaimed.quota().narrowed(cluster, gang).constraints().gpus();
    GpuModelPreference open = policies.quota().narrowed(cluster, gang).constraints().gpus();
    return hold.shares().keys().stream()
        .filter(id -> hold.shares().get(id).orElseThrow().needs().gpus() > 0)
        .flatMap(id -> cluster.nodes().get(id).stream())
        .map(node -> node.node().model().name())
        .anyMatch(model -> most.accepts(model) && !open.accepts(model));
  }

  /// True if a node cannot give its share of the hold even after all expected releases.
  public static boolean isUnkeepable(Cluster cluster, Hold hold) {
    for (NodeId id : hold.shares().keys()) {
      Hold.Share share = hold.shares().get(id).orElseThrow();
      if (!cluster.nodes().contains(id, n -> canGive(n, share, hold))) {
        return true;
      }
    }
    return false;
  }

  private static boolean canGive(NodeState node, Hold.Share share, Hold hold) {
    if (node.node().cordoned() || !node.node().faults().isEmpty()) {
      return false;
    }
    if (hold.kind() == Hold.Kind.DRAINING) {
      return node.node().allocatable().covers(share.needs().resources());
    }
    return node.capacityFor(share).covers(share.needs().resources());
  }

  /// True if the place, once it is empty, gives what the gang needs now.
  ///
  /// The constraints, members or minimum of the gang may have changed since the place was found,
  /// and so may the labels of nodes. Capacity elsewhere counts if no pod uses it. Limits of its
  /// queue do not: they may permit the gang by then.
  ///
  /// @param needed the members that the gang needs now, in rank order
  boolean fits(Hold hold, List<Member> needed) {
    Resources kept = Resources.NONE;
    for (Hold.Share share : hold.shares()) {
      kept = kept.plus(share.needs().resources());
    }
    Resources wanted = Resources.NONE;
    for (Member member : needed) {
      wanted = wanted.plus(member.request().resources());
    }
    Gang gang = state.cluster().gang(hold.gang());
    return kept.covers(wanted)
        && PlacementSearch.search(emptied(hold), gang, needed, SortedKeys.empty())
            instanceof SearchResult.Found;
  }

  private Cluster emptied(Hold place) {
    Cluster cluster = state.cluster();
    TreeMap<NodeId, List<MemberId>> pods = new TreeMap<>();
    for (NodeId id : place.shares().keys()) {
      NodeState node = cluster.nodes().get(id).orElseThrow();
      List<MemberId> there = new ArrayList<>(node.occupants().keys());
      there.addAll(node.promises().keys());
      pods.put(id, there);
    }
    return WhatIf.emptied(cluster.withoutHolds(cluster.holds().keys()), pods);
  }
}
