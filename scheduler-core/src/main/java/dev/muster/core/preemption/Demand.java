package dev.muster.core.preemption;

import dev.muster.core.cluster.NodeState;
import dev.muster.core.fit.Ask;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import java.util.List;

/// How much the gang needs, in units that can be counted node by node: members, where all are
/// alike; else GPUs, which is a bound only.
///
/// @param asks what the members ask of a node, each kind once
/// @param units how many units it needs
/// @param free the price of stopping nobody
record Demand(List<Ask> asks, long units, Price free) {
  static Demand of(List<Member> members, List<Ask> asks, Price free) {
    long units = members.size();
    if (asks.size() > 1) {
      units = members.stream().mapToLong(member -> member.request().gpus()).sum();
    }
    return new Demand(asks, Math.max(1, units), free);
  }

  /// Whether the node would take a member of some kind, were it empty.
  boolean takes(NodeState node) {
    return asks.stream().anyMatch(ask -> LastingRules.veto(ask, node.node()).isEmpty());
  }

  /// How many units an empty node with so many GPUs holds at most.
  long heldByEmpty(int gpus) {
    int each = asks.getFirst().request().gpus();
    return asks.size() > 1 ? gpus : each == 0 ? units : gpus / each;
  }

  /// How many units the node holds with this much more room.
  long held(NodeState node, NodeState.Occupant more) {
    if (asks.size() > 1) {
      return (long) node.freeGpus() + more.gpus();
    }
    Request request = asks.getFirst().request();
    int most = request.onePerNode() ? 1 : (int) Math.min(units, Integer.MAX_VALUE);
    return node.free().plus(more.resources()).holds(request.resources(), most);
  }
}
