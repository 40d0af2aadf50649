package dev.muster.core.cluster;

import dev.muster.core.cluster.UsageLedger.ModelSupply;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.topology.Topology;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// The nodes of a [ClusterBuilder] by name, in the tree of topology domains, and by GPU model.
final class NodeInventory {
  private final Topology topology;
  private TopologyDomain fabric;
  private SortedTable<NodeId, NodeState> nodes;
  private SortedTable<String, ModelSupply> supply;

  NodeInventory(Cluster from) {
    topology = from.topology();
    fabric = from.fabric();
    nodes = from.nodes();
    supply = from.ledger().supply();
  }

  Topology topology() {
    return topology;
  }

  TopologyDomain fabric() {
    return fabric;
  }

  SortedTable<NodeId, NodeState> byName() {
    return nodes;
  }

  /// Returns the GPUs on nodes that accept pods, by model.
  SortedTable<String, ModelSupply> stock() {
    return supply;
  }

  Optional<NodeState> get(NodeId node) {
    return nodes.get(node);
  }

  boolean contains(NodeId node) {
    return nodes.contains(node);
  }

  /// Changes the node and returns true, or returns false if it does not exist.
  boolean change(NodeId node, UnaryOperator<NodeState> change) {
    Optional<NodeState> before = nodes.get(node);
    if (before.isPresent()) {
      replace(before, Optional.of(change.apply(before.get())));
    }
    return before.isPresent();
  }

  /// Adds, changes or removes a node. At least one of the two states is present.
  void replace(Optional<NodeState> before, Optional<NodeState> after) {
    NodeId id = (after.isPresent() ? after : before).orElseThrow().id();
    boolean moved =
        before.isPresent() && after.isPresent() && !before.get().path().equals(after.get().path());
    fabric =
        moved
            ? fabric.replaced(before, Optional.empty()).replaced(Optional.empty(), after)
            : fabric.replaced(before, after);
    nodes =
        topology.depth() == 0
            ? fabric.nodes() // without levels all nodes are direct children
            : nodes.with(id, after);
    count(before, after);
  }

  // ---- GPUs by model ----

  private void count(Optional<NodeState> before, Optional<NodeState> after) {
    if (before.isPresent() && after.isPresent() && countsAlike(before.get(), after.get())) {
      return;
    }
    if (before.isPresent() && isUsable(before.get())) {
      count(before.get(), -1);
    }
    if (after.isPresent() && isUsable(after.get())) {
      count(after.get(), 1);
    }
  }

  private static boolean isUsable(NodeState state) {
    return state.node().gpus() > 0 && !state.node().cordoned() && state.node().faults().isEmpty();
  }

  private static boolean countsAlike(NodeState before, NodeState after) {
    return before.node().equals(after.node()) && before.unpromisedGpus() == after.unpromisedGpus();
  }

  private void count(NodeState state, int times) {
    String model = state.node().model().name();
    ModelSupply old = supply.get(model).orElse(new ModelSupply(0, 0, 0));
    ModelSupply now =
        new ModelSupply(
            old.nodes() + times,
            old.gpus() + times * state.node().gpus(),
            old.free() + times * state.unpromisedGpus());
    supply = now.nodes() == 0 ? supply.without(model) : supply.with(model, now);
  }

  /// True if the pod leaves a node that is not ready or gone. No kubelet reports its end, so it may
  /// stay for hours: its replacement must not wait for the quota that it would use twice.
  boolean isStranded(Member member, NodeId node) {
    boolean ready = get(node).filter(state -> state.node().isReady()).isPresent();
    return member.state() instanceof MemberState.Leaving && !ready;
  }
}
