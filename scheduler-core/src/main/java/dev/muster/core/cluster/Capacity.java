package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// How many nodes of a domain have how many free GPUs, by model: enough to rule a domain out
/// without looking at its nodes. Sums are kept by adding and subtracting whole nodes, so that a
/// change of one node costs the depth of the topology and not its size.
///
/// @param byModel for each model, at index g the number of nodes with g free GPUs
public record Capacity(SortedTable<String, Histogram> byModel) {
  /// The capacity of no nodes.
  public static final Capacity NONE = new Capacity(SortedTable.empty());

  /// Counts of nodes by free GPUs.
  public static final class Histogram {
    private final int[] counts;

    private Histogram(int[] counts) {
      this.counts = counts;
    }

    /// How many members of `gpus` GPUs each, at least 1, could find their GPUs here.
    public int holds(int gpus) {
      int members = 0;
      for (int free = gpus; free < counts.length; free++) {
        members += counts[free] * (free / gpus);
      }
      return members;
    }

    /// All free GPUs.
    public int free() {
      return holds(1);
    }

    /// The most GPUs free on one node.
    public int largest() {
      int free = counts.length - 1;
      while (free > 0 && counts[free] == 0) {
        free--;
      }
      return Math.max(0, free);
    }

    private Histogram add(int free, int nodes) {
      int[] sum = Arrays.copyOf(counts, Math.max(counts.length, free + 1));
      sum[free] += nodes;
      return new Histogram(sum);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Histogram that && Arrays.equals(trimmed(), that.trimmed());
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(trimmed());
    }

    private int[] trimmed() {
      int length = counts.length;
      while (length > 0 && counts[length - 1] == 0) {
        length--;
      }
      return Arrays.copyOf(counts, length);
    }
  }

  Capacity plus(NodeState node) {
    return add(node, 1);
  }

  Capacity minus(NodeState node) {
    return add(node, -1);
  }

  private Capacity add(NodeState node, int times) {
    String model = node.node().model().name();
    Histogram before = byModel.get(model).orElseGet(() -> new Histogram(new int[0]));
    return new Capacity(byModel.with(model, before.add(node.freeGpus(), times)));
  }

  /// All free GPUs of all models.
  public int free() {
    int free = 0;
    for (Histogram histogram : byModel) {
      free += histogram.free();
    }
    return free;
  }
}
