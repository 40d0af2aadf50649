package dev.muster.simulator.baseline;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An allocation of GPUs on nodes.
public final class Allocation {
  private int[] nodes;
  private int[] gpus;
  private int size;

  /// Creates an empty allocation.
  Allocation() {
    this.nodes = new int[1];
    this.gpus = new int[1];
  }

  /// Returns the number of entries.
  int size() {
    return size;
  }

  int node(int entry) {
    return nodes[entry];
  }

  int gpus(int entry) {
    return gpus[entry];
  }

  void add(int node, int count) {
    if (size > 0 && nodes[size - 1] == node) {
      gpus[size - 1] += count;
      return;
    }
    if (size == nodes.length) {
      nodes = Arrays.copyOf(nodes, 2 * size);
      gpus = Arrays.copyOf(gpus, 2 * size);
    }
    nodes[size] = node;
    gpus[size] = count;
    size++;
  }

  /// True if an entry is on the node.
  boolean uses(int node) {
    for (int i = 0; i < size; i++) {
      if (nodes[i] == node) {
        return true;
      }
    }
    return false;
  }

  /// Returns the nodes, one for each entry.
  int[] nodes() {
    return Arrays.copyOf(nodes, size);
  }

  /// True if the other allocation has equal GPUs, in any order.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Allocation that && (sameOrder(that) || byNode().equals(that.byNode()));
  }

  private boolean sameOrder(Allocation that) {
    return Arrays.equals(nodes, 0, size, that.nodes, 0, that.size)
        && Arrays.equals(gpus, 0, size, that.gpus, 0, that.size);
  }

  /// Returns the GPUs on each node.
  Map<Integer, Integer> byNode() {
    Map<Integer, Integer> all = new HashMap<>();
    for (int i = 0; i < size; i++) {
      all.merge(nodes[i], gpus[i], Integer::sum);
    }
    return all;
  }

  @Override
  public int hashCode() {
    return byNode().hashCode();
  }
}
