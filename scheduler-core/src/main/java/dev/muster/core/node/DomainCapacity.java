package dev.muster.core.node;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Resources;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Numbers of nodes of a domain by kind and by free GPUs.
///
/// They suffice to rule a domain out without a look at its nodes. Sums are updated by adding and
/// subtracting single nodes. So the change of one node costs the depth of the topology, not its
/// size.
///
/// @param byKind for each kind of node, at index g the number of nodes with g free GPUs
/// @param vacancies numbers of nodes by free capacity, at least 1 each
/// @param freeMilli free capacity of all nodes in thousandths of a GPU; this number alone rules out
///   most domains
public record DomainCapacity(
    SortedTable<NodeKind, Histogram> byKind,
    SortedTable<FreeCapacity, Integer> vacancies,
    long freeMilli) {
  /// The capacity of a domain without nodes.
  public static final DomainCapacity NONE =
      new DomainCapacity(SortedTable.empty(), SortedTable.empty(), 0);

  /// Counts of nodes of one kind by free GPUs, with the sums of free capacity.
  public static final class Histogram {
    private final NodeKind kind;
    private final int[] counts;
    private final int free;
    private final long sharedMilli;
    private final Resources resources;

    private Histogram(
        NodeKind kind, int[] counts, int free, long sharedMilli, Resources resources) {
      this.kind = kind;
      this.counts = counts;
      this.free = free;
      this.sharedMilli = sharedMilli;
      this.resources = resources;
    }

    private static Histogram empty(NodeKind kind) {
      return new Histogram(kind, new int[0], 0, 0, Resources.NONE);
    }

    /// Returns the kind of the nodes.
    public NodeKind kind() {
      return kind;
    }

    /// Returns the number of nodes.
    public int nodes() {
      int nodes = 0;
      for (int count : counts) {
        nodes += count;
      }
      return nodes;
    }

    /// Returns the number of nodes with a free GPU.
    public int nodesWithFree() {
      return counts.length == 0 ? 0 : nodes() - counts[0];
    }

    /// Returns the number of nodes with exactly this number of free GPUs.
    public int nodesWith(int gpus) {
      return gpus < counts.length ? counts[gpus] : 0;
    }

    /// Returns the sum of all free resources. Negative amounts of a node count as zero.
    public Resources resources() {
      return resources;
    }

    /// Returns the number of members of `gpus` GPUs each, at least 1, that find their GPUs here.
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

    /// Returns the number of free GPUs.
    public int free() {
      return free;
    }

    /// Returns the free capacity in thousandths of a GPU, shared GPUs included.
    public long freeMilli() {
      return 1000L * free + sharedMilli;
    }

    /// Returns the greatest number of free GPUs on one node.
    public int largest() {
      int most = counts.length - 1;
      while (most > 0 && counts[most] == 0) {
        most--;
      }
      return Math.max(0, most);
    }

    /// Returns these counts with one node added, removed or changed.
    private Histogram with(@Nullable NodeState less, @Nullable NodeState more) {
      int length = Math.max(counts.length, more == null ? 0 : more.freeGpus() + 1);
      int[] after = Arrays.copyOf(counts, length);
      int gpus = free;
      long milli = sharedMilli;
      Resources sum = resources;
      if (less != null) {
        after[less.freeGpus()]--;
        sum = sum.minus(less.free().atLeastNone());
        gpus -= less.freeGpus();
        milli -= sharedMilli(less);
      }
      if (more != null) {
        after[more.freeGpus()]++;
        sum = sum.plus(more.free().atLeastNone());
        gpus += more.freeGpus();
        milli += sharedMilli(more);
      }
      return new Histogram(kind, after, gpus, milli, sum);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Histogram that
          && sharedMilli == that.sharedMilli
          && resources.equals(that.resources)
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

  /// Returns the capacity after a node changed, came (absent before) or went (absent after).
  DomainCapacity replaced(Optional<NodeState> before, Optional<NodeState> after) {
    NodeState old = before.orElse(null);
    NodeState now = after.orElse(null);
    if (old != null && now != null && old.freeCapacity().equals(now.freeCapacity())) {
      return this; // all counts depend on the free capacity alone
    }
    SortedTable<FreeCapacity, Integer> counts = vacancies;
    counts = old == null ? counts : counted(counts, old.freeCapacity(), -1);
    counts = now == null ? counts : counted(counts, now.freeCapacity(), 1);
    long milli = freeMilli - freeMilli(old) + freeMilli(now);
    if (old != null && now != null && !old.kind().equals(now.kind())) {
      var kinds = with(with(byKind, old.kind(), old, null), now.kind(), null, now);
      return new DomainCapacity(kinds, counts, milli);
    }
    NodeKind kind = (old == null ? after.orElseThrow() : old).kind();
    return new DomainCapacity(with(byKind, kind, old, now), counts, milli);
  }

  private static long freeMilli(@Nullable NodeState node) {
    return node == null ? 0 : 1000L * node.freeGpus() + sharedMilli(node);
  }

  private static long sharedMilli(NodeState node) {
    long milli = 0;
    for (int free : node.sharedFree()) {
      milli += free;
    }
    return milli;
  }

  private static SortedTable<FreeCapacity, Integer> counted(
      SortedTable<FreeCapacity, Integer> counts, FreeCapacity freeCapacity, int change) {
    int count = counts.get(freeCapacity).orElse(0) + change;
    return count == 0 ? counts.without(freeCapacity) : counts.with(freeCapacity, count);
  }

  private static SortedTable<NodeKind, Histogram> with(
      SortedTable<NodeKind, Histogram> kinds,
      NodeKind kind,
      @Nullable NodeState less,
      @Nullable NodeState more) {
    Optional<Histogram> before = kinds.get(kind);
    Histogram histogram =
        (before.isPresent() ? before.get() : Histogram.empty(kind)).with(less, more);
    return histogram.nodes() == 0 ? kinds.without(kind) : kinds.with(kind, histogram);
  }

  /// True if the free resources of all nodes together cover these.
  public boolean covers(Resources needed) {
    Resources free = Resources.NONE;
    for (Histogram histogram : byKind) {
      free = free.plus(histogram.resources());
    }
    return free.covers(needed);
  }

  /// Returns the number of free GPUs of all models.
  public int free() {
    int free = 0;
    for (Histogram histogram : byKind) {
      free += histogram.free();
    }
    return free;
  }
}
