package dev.muster.core.node;

import dev.muster.core.collect.FairMemory;
import dev.muster.core.collect.FairMemory.Age;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The nodes that all gangs avoid.
///
/// **Goals.** A failure, a tick and a repaired node cost work for the gangs that they change, and
/// not for all others. No tenant fills the memory at the cost of others.
///
/// **Algorithm.** Lone pods of one workload share one entry. A namespace beyond [#OF_NAMESPACE]
/// entries forgets its own oldest one. With [#IN_TOTAL] entries, the namespace with the most of
/// them does.
///
/// @param byGang avoided nodes by gang or workload; never without a failure
/// @param byNode gangs with failures on each node
/// @param blamed gangs whose failures count as failures of the node, by node
/// @param due the gangs by the time of their next change
/// @param memory the order in which gangs are forgotten
public record NodeAvoidance(
    SortedTable<GangId, AvoidedNodes> byGang,
    SortedTable<NodeId, SortedKeys<GangId>> byNode,
    SortedTable<NodeId, SortedKeys<GangId>> blamed,
    SortedTable<Age<GangId>, GangId> due,
    FairMemory<GangId> memory) {
  /// No gang avoids any node.
  public static final NodeAvoidance NONE =
      new NodeAvoidance(
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty(),
          FairMemory.empty());

  /// The maximum number of gangs of one namespace that are remembered.
  public static final int OF_NAMESPACE = 256;

  /// The maximum number of gangs that are remembered.
  public static final int IN_TOTAL = 4096;

  /// Returns the nodes that the gang or workload avoids.
  public AvoidedNodes of(GangId gang) {
    return byGang.get(gang).orElse(AvoidedNodes.NONE);
  }

  /// Returns the gangs whose failures count as failures of the node.
  public SortedKeys<GangId> blaming(NodeId node) {
    return blamed.get(node).orElse(SortedKeys.empty());
  }

  /// Returns the avoidance with these nodes, and no others, avoided by the gang. A gang that is
  /// displaced is forgotten.
  public NodeAvoidance with(GangId gang, AvoidedNodes nodes) {
    if (nodes.failures().isEmpty()) {
      return without(gang);
    }
    Optional<GangId> left = byGang.contains(gang) ? Optional.of(gang) : displacedBy(gang);
    return left.map(this::without).orElse(this).adding(gang, nodes);
  }

  private Optional<GangId> displacedBy(GangId gang) {
    if (memory.size(gang.namespace()) >= OF_NAMESPACE) {
      return memory.oldest(gang.namespace());
    }
    return byGang.size() >= IN_TOTAL ? memory.displacedBy(gang.namespace()) : Optional.empty();
  }

  private NodeAvoidance adding(GangId gang, AvoidedNodes nodes) {
    return new NodeAvoidance(
        byGang.with(gang, nodes),
        adding(gang, nodes.failures().keys(), byNode),
        adding(gang, nodes.blamed(), blamed),
        due.with(new Age<>(nodes.nextChange(), gang), gang),
        memory.with(gang.namespace(), nodes.newest(), gang));
  }

  private NodeAvoidance without(GangId gang) {
    Optional<AvoidedNodes> old = byGang.get(gang);
    if (old.isEmpty()) {
      return this;
    }
    AvoidedNodes nodes = old.get();
    return new NodeAvoidance(
        byGang.without(gang),
        removing(gang, nodes.failures().keys(), byNode),
        removing(gang, nodes.blamed(), blamed),
        due.without(new Age<>(nodes.nextChange(), gang)),
        memory.without(gang.namespace(), nodes.newest(), gang));
  }

  private static SortedTable<NodeId, SortedKeys<GangId>> adding(
      GangId gang, List<NodeId> nodes, SortedTable<NodeId, SortedKeys<GangId>> byNode) {
    SortedTable<NodeId, SortedKeys<GangId>> gangs = byNode;
    for (NodeId node : nodes) {
      gangs = gangs.with(node, gangs.get(node).orElse(SortedKeys.empty()).with(gang));
    }
    return gangs;
  }

  private static SortedTable<NodeId, SortedKeys<GangId>> removing(
      GangId gang, List<NodeId> nodes, SortedTable<NodeId, SortedKeys<GangId>> byNode) {
    SortedTable<NodeId, SortedKeys<GangId>> gangs = byNode;
    for (NodeId node : nodes) {
      SortedKeys<GangId> others = gangs.get(node).orElse(SortedKeys.empty()).without(gang);
      gangs = others.isEmpty() ? gangs.without(node) : gangs.with(node, others);
    }
    return gangs;
  }

  private SortedKeys<GangId> failingOn(NodeId node) {
    return byNode.get(node).orElse(SortedKeys.empty());
  }

  /// Returns the avoidance at a later time.
  public NodeAvoidance at(Instant now) {
    NodeAvoidance later = this;
    while (!later.due.isEmpty() && !later.due.keys().getFirst().at().isAfter(now)) {
      GangId gang = later.due.values().getFirst();
      later = later.with(gang, later.of(gang).at(now));
    }
    return later;
  }

  /// Returns the avoidance without failures on the node.
  public NodeAvoidance without(NodeId node) {
    NodeAvoidance rest = this;
    for (GangId gang : failingOn(node)) {
      rest = rest.with(gang, rest.of(gang).without(node));
    }
    return rest;
  }
}
