package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How many nodes of a domain have how many free GPUs, by model: enough to rule a domain out
/// without looking at its nodes. Sums are kept by adding and subtracting whole nodes, so that a
/// change of one node costs the depth of the topology and not its size.
///
/// @param byModel for each model, at index g the number of nodes with g free GPUs
public record Capacity(SortedTable<String, Histogram> byModel) {
  /// The capacity of no nodes.
  public static final Capacity NONE = new Capacity(SortedTable.empty());

  /// Counts of nodes by free GPUs, and what is free on shared GPUs beside.
  public static final class Histogram {
    private static final Histogram EMPTY = new Histogram(new int[0], 0, 0);

    private final int[] counts;
    private final int free;
    private final long sharedMilli;

    private Histogram(int[] counts, int free, long sharedMilli) {
      this.counts = counts;
      this.free = free;
      this.sharedMilli = sharedMilli;
    }

    /// How many members of `gpus` GPUs each, at least 1, could find their GPUs here.
    public int holds(int gpus) {
      if (gpus == 1) {
        return free;
      }
      int members = 0;
      for (int here = gpus; here < counts.length; here++) {
        members += counts[here] * (here / gpus);
      }
      return members;
    }

    /// All free GPUs.
    public int free() {
      return free;
    }

    /// All that is free, in thousandths of a GPU, parts of shared GPUs included.
    public long freeMilli() {
      return 1000L * free + sharedMilli;
    }

    /// The most GPUs free on one node.
    public int largest() {
      int most = counts.length - 1;
      while (most > 0 && counts[most] == 0) {
        most--;
      }
      return Math.max(0, most);
    }

    /// These counts with one node more, fewer or changed.
    private Histogram with(@Nullable NodeState less, @Nullable NodeState more) {
      int length = Math.max(counts.length, more == null ? 0 : more.freeGpus() + 1);
      int[] sum = Arrays.copyOf(counts, length);
      int gpus = free;
      long milli = sharedMilli;
      if (less != null) {
        sum[less.freeGpus()]--;
        gpus -= less.freeGpus();
        milli -= shared(less);
      }
      if (more != null) {
        sum[more.freeGpus()]++;
        gpus += more.freeGpus();
        milli += shared(more);
      }
      return new Histogram(sum, gpus, milli);
    }

    private static long shared(NodeState node) {
      long milli = 0;
      for (int free : node.sharedFree()) {
        milli += free;
      }
      return milli;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Histogram that
          && sharedMilli == that.sharedMilli
          && Arrays.equals(trimmed(), that.trimmed());
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

  /// The capacity once a node changed, came (absent before) or went (absent after).
  Capacity replaced(Optional<NodeState> before, Optional<NodeState> after) {
    NodeState old = before.orElse(null);
    NodeState now = after.orElse(null);
    if (old != null && now != null && !model(old).equals(model(now))) {
      return with(model(old), old, null).with(model(now), null, now);
    }
    return with(model(old == null ? after.orElseThrow() : old), old, now);
  }

  private static String model(NodeState node) {
    return node.node().model().name();
  }

  private Capacity with(String model, @Nullable NodeState less, @Nullable NodeState more) {
    Histogram histogram = byModel.get(model).orElse(Histogram.EMPTY);
    return new Capacity(byModel.with(model, histogram.with(less, more)));
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
