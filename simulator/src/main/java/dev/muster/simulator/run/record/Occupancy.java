package dev.muster.simulator.run.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// How much of each node was in use when, summed in [TimeBuckets].
public final class Occupancy {
  private static final int SLOTS = 256;

  private final TimeBuckets used;

  /// Nothing is in use.
  Occupancy(int nodes) {
    this.used = new TimeBuckets(nodes, SLOTS);
  }

  /// The slots reach to this time, whether anything was in use then or not.
  void reach(long millis) {
    used.reach(millis);
  }

  /// So many thousandths of GPUs of the node were in use for some time.
  void add(int node, long gpuMilli, long from, long to) {
    reach(to);
    long at = from;
    while (at < to) {
      int slot = used.at(at);
      long end = Math.min(to, used.from(slot + 1));
      used.add(node, slot, (double) gpuMilli * (end - at));
      at = end;
    }
  }

  /// The length of a slot in milliseconds; the first begins with the trace.
  public long slotMillis() {
    return used.width();
  }

  /// GPU-milliseconds of these nodes together that were in use in each slot; 0 after the end of the
  /// run.
  public double[] gpuMillis(List<Integer> nodes) {
    double[] sums = new double[SLOTS];
    for (int node : nodes) {
      for (int slot = 0; slot < SLOTS; slot++) {
        sums[slot] += used.sum(node, slot) / 1000.0;
      }
    }
    return sums;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Occupancy that && used.equals(that.used);
  }

  @Override
  public int hashCode() {
    return used.hashCode();
  }
}
