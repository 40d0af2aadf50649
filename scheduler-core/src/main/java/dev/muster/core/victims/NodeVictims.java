package dev.muster.core.victims;

import dev.muster.core.gang.MemberId;
import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.List;

/// One node with its free capacity and the pods that may leave it.
final class NodeVictims {
  /// A pod that may leave with its whole gang, or as a spare member.
  static final class Tenant {
    /// The capacity freed when the pod leaves, one amount for each counted resource.
    final long[] share;

    /// The candidates with which the pod may leave; at least one.
    final List<VictimCandidate> ways;

    Tenant(long[] share, List<VictimCandidate> ways) {
      this.share = share;
      this.ways = ways;
    }
  }

  final String model;
  final long[] free;
  final List<Tenant> tenants;

  /// Units that the node can take after all its candidates have left.
  final long most;

  private NodeVictims(String model, long[] free, List<Tenant> tenants, long most) {
    this.model = model;
    this.free = free;
    this.tenants = tenants;
    this.most = most;
  }

  static NodeVictims of(NodeState node, UnitDemand demand, VictimCandidates known) {
    List<Tenant> tenants = new ArrayList<>();
    long[] free = demand.capacity(node);
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
    return new NodeVictims(node.node().model().name(), free, tenants, demand.held(all));
  }

  /// Returns the candidates of the pod's gang that include the pod: nearly always all of them.
  private static List<VictimCandidate> ways(MemberId pod, List<VictimCandidate> known) {
    for (VictimCandidate candidate : known) {
      if (!candidate.has(pod)) {
        return known.stream().filter(way -> way.has(pod)).toList();
      }
    }
    return known;
  }
}
