package dev.muster.core.placement.diagnosis;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.DomainCapacity.Histogram;
import dev.muster.core.node.NodeState;
import java.util.Map;
import java.util.TreeMap;

/// The capacity of nodes that match the gang's static constraints.
///
/// Free capacity is summed over the nodes that take the biggest kind of member. Installed GPUs are
/// summed over the nodes that take any kind.
final class MatchingCapacity {
  private static final long BIGGEST = 1;

  private long some;
  private long every = -1;
  private final TreeMap<String, Long> installed = new TreeMap<>();
  private long largestNode;
  private long free;
  private long largest;
  private int nodesWithFree;
  private Resources resources = Resources.NONE;
  private final TreeMap<String, Long> freeByModel = new TreeMap<>();

  /// Adds nodes of one kind.
  ///
  /// @param takes kinds of members that the nodes take, as bits
  void add(Histogram nodes, long takes) {
    add(takes, nodes.nodes(), nodes.kind().gpus(), nodes.kind().model());
    if ((takes & BIGGEST) != 0) {
      free += nodes.free();
      largest = Math.max(largest, nodes.largest());
      nodesWithFree += nodes.nodesWithFree();
      resources = resources.plus(nodes.resources());
      freeByModel.merge(nodes.kind().model(), (long) nodes.free(), Long::sum);
    }
  }

  /// Adds the capacity of other nodes.
  void add(MatchingCapacity other) {
    some |= other.some;
    every &= other.every;
    other.installed.forEach((model, gpus) -> installed.merge(model, gpus, Long::sum));
    largestNode = Math.max(largestNode, other.largestNode);
    free += other.free;
    largest = Math.max(largest, other.largest);
    nodesWithFree += other.nodesWithFree;
    resources = resources.plus(other.resources);
    other.freeByModel.forEach((model, gpus) -> freeByModel.merge(model, gpus, Long::sum));
  }

  /// Adds one node.
  ///
  /// @param takes kinds of members that the node takes, as bits
  void add(NodeState node, long takes) {
    add(takes, 1, node.node().gpus(), node.node().model().name());
    if ((takes & BIGGEST) != 0) {
      free += node.freeGpus();
      largest = Math.max(largest, node.freeGpus());
      nodesWithFree += node.freeGpus() > 0 ? 1 : 0;
      resources = resources.plus(node.free().atLeastNone());
      freeByModel.merge(node.node().model().name(), (long) node.freeGpus(), Long::sum);
    }
  }

  private void add(long takes, long nodes, int each, String model) {
    if (takes != 0) {
      some |= takes;
      every &= takes;
      installed.merge(model, nodes * each, Long::sum);
      largestNode = Math.max(largestNode, each);
    }
  }

  /// Returns the kinds of members that some node takes, as bits.
  long some() {
    return some;
  }

  /// Returns the kinds of members that all matching nodes take, as bits. Nodes that take no kind
  /// are not counted.
  long every() {
    return every;
  }

  /// Returns the installed GPUs, free or not, of all nodes that take any member, by model.
  Map<String, Long> installed() {
    return installed;
  }

  /// Returns the most installed GPUs of one matching node.
  long largestNode() {
    return largestNode;
  }

  /// Returns the free GPUs.
  long free() {
    return free;
  }

  /// Returns the most free GPUs of one node.
  long largest() {
    return largest;
  }

  int nodesWithFree() {
    return nodesWithFree;
  }

  /// Returns the free resources.
  Resources resources() {
    return resources;
  }

  Map<String, Long> freeByModel() {
    return freeByModel;
  }
}
