package dev.muster.core.placement.diagnosis;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.DomainCapacity.Histogram;
import dev.muster.core.node.NodeState;
import java.util.Map;
import java.util.TreeMap;

/// The free capacity of nodes that match the gang's static constraints.
///
/// A node counts for a resource only if it takes a member that needs the resource. So a node
/// without GPUs that takes the launcher of a gang does not count as a node for its workers.
final class MatchingCapacity {
  private static final long BIGGEST = 1;

  private final AskedResources asked;
  private long some;
  private final TreeMap<String, Long> free = new TreeMap<>();
  private final TreeMap<String, Long> gpusByModel = new TreeMap<>();

  private long gpusForBiggest;
  private long largest;
  private int nodesWithFree;

  MatchingCapacity(AskedResources asked) {
    this.asked = asked;
  }

  /// Adds nodes of one kind.
  ///
  /// @param takes kinds of members that the nodes take, as bits
  void add(Histogram nodes, long takes) {
    add(takes, nodes.resources(), nodes.kind().model(), nodes.free());
    if ((takes & BIGGEST) != 0) {
      gpusForBiggest += nodes.free();
      largest = Math.max(largest, nodes.largest());
      nodesWithFree += nodes.nodesWithFree();
    }
  }

  /// Adds one node.
  ///
  /// @param takes kinds of members that the node takes, as bits
  void add(NodeState node, long takes) {
    add(takes, node.free().atLeastNone(), node.node().model().name(), node.freeGpus());
    if ((takes & BIGGEST) != 0) {
      gpusForBiggest += node.freeGpus();
      largest = Math.max(largest, node.freeGpus());
      nodesWithFree += node.freeGpus() > 0 ? 1 : 0;
    }
  }

  private void add(long takes, Resources here, String model, int gpus) {
    some |= takes;
    for (String resource : asked.neededBy(takes)) {
      free.merge(resource, here.get(resource), Long::sum);
    }
    if (asked.wantGpus(takes)) {
      gpusByModel.merge(model, (long) gpus, Long::sum);
    }
  }

  /// Adds the capacity of other nodes.
  void add(MatchingCapacity other) {
    some |= other.some;
    other.free.forEach((resource, amount) -> free.merge(resource, amount, Long::sum));
    other.gpusByModel.forEach((model, gpus) -> gpusByModel.merge(model, gpus, Long::sum));
    gpusForBiggest += other.gpusForBiggest;
    largest = Math.max(largest, other.largest);
    nodesWithFree += other.nodesWithFree;
  }

  /// Returns the kinds of members that some node takes, as bits.
  long some() {
    return some;
  }

  /// Returns the free amount on nodes that take a member which needs the resource.
  long free(String resource) {
    return free.getOrDefault(resource, 0L);
  }

  /// Returns the free GPUs, by model, on nodes that take a member with GPUs.
  Map<String, Long> gpusByModel() {
    return gpusByModel;
  }

  /// Returns the free GPUs on nodes that take a member with GPUs; -1 if no node does.
  long gpus() {
    long sum = 0;
    for (long gpus : gpusByModel.values()) {
      sum += gpus;
    }
    return gpusByModel.isEmpty() ? -1 : sum;
  }

  /// Returns the free GPUs on nodes that take the biggest kind of member.
  long gpusForBiggest() {
    return gpusForBiggest;
  }

  /// Returns the most free GPUs of one node that takes the biggest kind of member.
  long largest() {
    return largest;
  }

  /// Returns the number of nodes with free GPUs that take the biggest kind of member.
  int nodesWithFree() {
    return nodesWithFree;
  }
}
