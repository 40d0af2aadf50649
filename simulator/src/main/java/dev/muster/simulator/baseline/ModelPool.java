package dev.muster.simulator.baseline;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntUnaryOperator;

/// Nodes with one model of GPU, found by how many GPUs are free on them. Nodes are numbers; on ties
/// the lowest goes first.
final class ModelPool {
  private final String model;
  private final BitSet sizes;
  private final int[] capacity;
  private final BitSet[] byFree;
  private int free;

  /// @param sizes how many GPUs its nodes have
  /// @param capacity how many each node has, those of other pools too
  ModelPool(String model, BitSet sizes, int[] capacity) {
    this.model = model;
    this.sizes = sizes;
    this.capacity = capacity;
    this.byFree = new BitSet[sizes.length()];
    for (int i = 0; i < byFree.length; i++) {
      byFree[i] = new BitSet();
    }
  }

  String model() {
    return model;
  }

  /// GPUs of the largest node.
  int size() {
    return byFree.length - 1;
  }

  /// GPUs free on all nodes that are not set aside.
  int free() {
    return free;
  }

  /// How many nodes have free GPUs.
  int nodes() {
    return Arrays.stream(byFree).skip(1).mapToInt(BitSet::cardinality).sum();
  }

  void add(int node, int gpus) {
    byFree[gpus].set(node);
    free += gpus;
  }

  void remove(int node, int gpus) {
    byFree[gpus].clear(node);
    free -= gpus;
  }

  /// The node with the fewest free GPUs of those with at least so many; -1 if there is none.
  int fewest(int atLeast) {
    for (int gpus = atLeast; gpus < byFree.length; gpus++) {
      int node = byFree[gpus].nextSetBit(0);
      if (node >= 0) {
        return node;
      }
    }
    return -1;
  }

  /// The node with the most free GPUs, if it has at least so many; else -1.
  int most(int atLeast) {
    for (int gpus = size(); gpus >= atLeast; gpus--) {
      int node = byFree[gpus].nextSetBit(0);
      if (node >= 0) {
        return node;
      }
    }
    return -1;
  }

  /// The node with the lowest number of those with at least so many GPUs free; -1 if there is none.
  int first(int atLeast) {
    int lowest = -1;
    for (int gpus = atLeast; gpus < byFree.length; gpus++) {
      int node = byFree[gpus].nextSetBit(0);
      lowest = node >= 0 && (lowest < 0 || node < lowest) ? node : lowest;
    }
    return lowest;
  }

  /// The largest of the nodes with at most so many GPUs of which nothing is used; -1 if there is
  /// none.
  int empty(int atMost) {
    int size = sizes.previousSetBit(Math.min(atMost, size()));
    while (size > 0) {
      for (int at = byFree[size].nextSetBit(0); at >= 0; at = byFree[size].nextSetBit(at + 1)) {
        if (capacity[at] == size) {
          return at;
        }
      }
      size = sizes.previousSetBit(size - 1);
    }
    return -1;
  }

  /// A node found one way or another.
  int find(IntUnaryOperator way, int atLeast) {
    return atLeast >= byFree.length ? -1 : way.applyAsInt(atLeast);
  }
}
