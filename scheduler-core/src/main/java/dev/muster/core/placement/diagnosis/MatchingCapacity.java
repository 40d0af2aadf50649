package dev.muster.core.placement.diagnosis;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.DomainCapacity.Histogram;
import dev.muster.core.node.NodeState;
import java.util.Map;
import java.util.TreeMap;

/// What those nodes have that would take members, were they empty: sums over the nodes that take
/// the biggest kind, and some over all that take any.
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
  /// @param takes the kinds of members that they take, as bits
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

  /// Adds what other nodes have.
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
  /// @param takes the kinds of members that it takes, as bits
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

  /// The kinds of members that some node takes, as bits.
  long some() {
    return some;
  }

  /// The kinds of members that each node takes which takes any, as bits.
  long every() {
    return every;
  }

  /// GPUs of all nodes that take any member, free or not, by model.
  Map<String, Long> installed() {
    return installed;
  }

  /// The most GPUs that one of them has.
  long largestNode() {
    return largestNode;
  }

  /// Free GPUs.
  long free() {
    return free;
  }

  /// The most that is free on one node.
  long largest() {
    return largest;
  }

  int nodesWithFree() {
    return nodesWithFree;
  }

  /// All that is free.
  Resources resources() {
    return resources;
  }

  Map<String, Long> freeByModel() {
    return freeByModel;
  }
}
