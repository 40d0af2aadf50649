package dev.muster.core.victims;

import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.NodeShare;
import java.util.List;

/// The demand of a preemptor in units that can be counted node by node.
///
/// If all members are alike, a unit is a member. Otherwise a unit is a GPU, and the count is only a
/// bound.
///
/// The demand of a unit and the capacity of a node are arrays with one amount for each counted
/// resource, which makes counting cheap.
final class UnitDemand {
  private final List<MemberRequirements> asks;
  private final long units;
  private final VictimCost free;
  private final String[] names;
  private final long[] needed;
  private final long most;

  /// @param asks requirements of the members, one for each kind
  /// @param free cost of an empty set of victims
  UnitDemand(List<Member> members, List<MemberRequirements> asks, VictimCost free) {
    this.asks = List.copyOf(asks);
    this.free = free;
    if (areAlike()) {
      Request request = asks.getFirst().request();
      Resources each = request.resources();
      this.units = Math.max(1, members.size());
      this.names = each.asMap().keySet().toArray(String[]::new);
      this.needed = each.amounts(names);
      this.most = request.onePerNode() ? 1 : units;
    } else {
      this.units = Math.max(1, members.stream().mapToLong(m -> m.request().gpus()).sum());
      this.names = new String[0];
      this.needed = new long[] {1};
      this.most = Long.MAX_VALUE;
    }
  }

  /// True if all members have equal requirements. Units are then exact.
  boolean areAlike() {
    return asks.size() == 1;
  }

  /// Returns the units that the gang needs.
  long units() {
    return units;
  }

  /// Returns the cost of an empty set of victims.
  VictimCost free() {
    return free;
  }

  /// True if the node, when empty, would take a member of some kind.
  boolean takes(NodeState node) {
    return asks.stream().anyMatch(ask -> LastingRules.veto(ask, node.node()).isEmpty());
  }

  /// Returns the maximum of units on an empty node with this many GPUs.
  long heldByEmpty(int gpus) {
    int each = asks.getFirst().request().gpus();
    return !areAlike() ? gpus : each == 0 ? units : gpus / each;
  }

  /// Returns the free capacity of the node.
  long[] capacity(NodeState node) {
    return areAlike() ? node.free().amounts(names) : new long[] {node.freeGpus()};
  }

  /// Returns the capacity that becomes free when this pod leaves.
  long[] share(NodeShare leaving) {
    return areAlike() ? leaving.resources().amounts(names) : new long[] {leaving.gpus()};
  }

  /// Returns the units that fit into this free capacity.
  long held(long[] room) {
    long held = most;
    for (int i = 0; i < needed.length && held > 0; i++) {
      held = needed[i] > 0 ? Math.min(held, Math.max(0, room[i]) / needed[i]) : held;
    }
    return held;
  }
}
