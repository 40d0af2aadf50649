package dev.muster.simulator.baseline;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntUnaryOperator;

/// The nodes with one GPU model, indexed by their free GPUs. Nodes are numbers; on ties the lowest
/// goes first.
final class ModelPool {
  private final String model;
  private final BitSet sizes;
  private final int[] capacity;
  private final BitSet[] byFree;
  private int free;

  /// @param sizes numbers of GPUs that its nodes have
  /// @param capacity GPUs of each node, including nodes of other pools
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

  /// Returns the GPUs of the largest node.
  int size() {
    return byFree.length - 1;
  }

  /// Returns the free GPUs on all nodes that are not set aside.
  int free() {
    return free;
  }

  /// Returns the number of nodes with free GPUs.
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

  /// Returns the node with the fewest free GPUs, at least `atLeast`; -1 if there is none.
  int fewest(int atLeast) {
    for (int gpus = atLeast; gpus < byFree.length; gpus++) {
      int node = byFree[gpus].nextSetBit(0);
      if (node >= 0) {
        return node;
      }
    }
    return -1;
  }

  /// Returns the node with the most free GPUs, if it has at least `atLeast`; otherwise -1.
  int most(int atLeast) {
    for (int gpus = size(); gpus >= atLeast; gpus--) {
      int node = byFree[gpus].nextSetBit(0);
      if (node >= 0) {
        return node;
      }
    }
    return -1;
  }

  /// Returns the lowest-numbered node with at least `atLeast` free GPUs; -1 if there is none.
  int first(int atLeast) {
    int lowest = -1;
    for (int gpus = atLeast; gpus < byFree.length; gpus++) {
      int node = byFree[gpus].nextSetBit(0);
      lowest = node >= 0 && (lowest < 0 || node < lowest) ? node : lowest;
    }
    return lowest;
  }

  /// Returns the largest unused node with at most `atMost` GPUs; -1 if there is none.
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

  /// Returns a node by one of the searches.
  int find(IntUnaryOperator way, int atLeast) {
    return atLeast >= byFree.length ? -1 : way.applyAsInt(atLeast);
  }
}
