package dev.muster.core.victims;

import dev.muster.core.gang.MemberId;
import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.List;

/// A node, with what is free there now and who may leave it.
final class NodeVictims {
  /// A pod that may leave with the whole of its gang, or as a spare member.
  static final class Tenant {
    /// What comes free when it leaves.
    final long[] share;

    /// The ways in which it may leave; at least one.
    final List<VictimCandidate> ways;

    Tenant(long[] share, List<VictimCandidate> ways) {
      this.share = share;
      this.ways = ways;
    }
  }

  final long[] free;
  final List<Tenant> tenants;

  /// How many units the node holds when all of them have left.
  final long most;

  private NodeVictims(long[] free, List<Tenant> tenants, long most) {
    this.free = free;
    this.tenants = tenants;
    this.most = most;
  }

  static NodeVictims of(NodeState node, UnitDemand demand, VictimCandidates known) {
    List<Tenant> tenants = new ArrayList<>();
    long[] free = demand.room(node);
    long[] all = free.clone();
    for (MemberId pod : node.occupants().keys()) {
      List<VictimCandidate> ways = ways(pod, known.of(pod));
      if (!ways.isEmpty()) {
        Tenant tenant = new Tenant(demand.share(node.occupants().get(pod).orElseThrow()), ways);
        tenants.add(tenant);
        for (int i = 0; i < all.length; i++) {
          all[i] += tenant.share[i];
        }
      }
    }
    return new NodeVictims(free, tenants, demand.held(all));
  }

  /// Those of its gang's candidates with which the pod would leave: nearly always all.
  private static List<VictimCandidate> ways(MemberId pod, List<VictimCandidate> known) {
    for (VictimCandidate candidate : known) {
      if (!candidate.has(pod)) {
        return known.stream().filter(way -> way.has(pod)).toList();
      }
    }
    return known;
  }
}
