package dev.muster.core.victims;

import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.Occupant;
import java.util.List;

/// How much the gang needs, in units that can be counted node by node: members, where all are
/// alike; else GPUs, which is a bound only.
///
/// What a unit needs, and what is free or comes free, is laid out as one amount for each resource
/// that counts, so that counting costs little.
final class UnitDemand {
  private final List<MemberRequirements> asks;
  private final long units;
  private final VictimCost free;
  private final String[] names;
  private final long[] needed;
  private final long most;

  /// @param asks what the members ask of a node, each kind once
  /// @param free the price of stopping nobody
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

  /// Whether all members ask for the same, so that nothing but units counts.
  boolean areAlike() {
    return asks.size() == 1;
  }

  /// How many units it needs.
  long units() {
    return units;
  }

  /// The price of stopping nobody.
  VictimCost free() {
    return free;
  }

  /// Whether the node would take a member of some kind, were it empty.
  boolean takes(NodeState node) {
    return asks.stream().anyMatch(ask -> LastingRules.veto(ask, node.node()).isEmpty());
  }

  /// How many units an empty node with so many GPUs holds at most.
  long heldByEmpty(int gpus) {
    int each = asks.getFirst().request().gpus();
    return !areAlike() ? gpus : each == 0 ? units : gpus / each;
  }

  /// What is free on the node.
  long[] room(NodeState node) {
    return areAlike() ? node.free().amounts(names) : new long[] {node.freeGpus()};
  }

  /// What comes free when this leaves.
  long[] share(Occupant leaving) {
    return areAlike() ? leaving.resources().amounts(names) : new long[] {leaving.gpus()};
  }

  /// How many units so much room holds.
  long held(long[] room) {
    long held = most;
    for (int i = 0; i < needed.length && held > 0; i++) {
      held = needed[i] > 0 ? Math.min(held, Math.max(0, room[i]) / needed[i]) : held;
    }
    return held;
  }
}
