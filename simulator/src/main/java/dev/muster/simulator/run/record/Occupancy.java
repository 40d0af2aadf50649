package dev.muster.simulator.run.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The use of each node over time, and the time that it was absent, summed in [TimeBuckets].
public final class Occupancy {
  private static final int SLOTS = 256;

  private final TimeBuckets used;
  private final TimeBuckets absent;

  /// Creates an occupancy without any use.
  Occupancy(int nodes) {
    this.used = new TimeBuckets(nodes, SLOTS);
    this.absent = new TimeBuckets(nodes, SLOTS);
  }

  /// Extends the slots to this time, with or without use.
  void reach(long millis) {
    used.reach(millis);
    absent.reach(millis);
  }

  /// Adds the use of some thousandths of GPUs of the node for some time.
  void add(int node, long gpuMilli, long from, long to) {
    reach(to);
    add(used, node, (double) gpuMilli, from, to);
  }

  /// Adds a time for which the node was not there.
  void addAbsence(int node, long from, long to) {
    reach(to);
    add(absent, node, 1, from, to);
  }

  private static void add(TimeBuckets sums, int node, double rate, long from, long to) {
    long at = from;
    while (at < to) {
      int slot = sums.at(at);
      long end = Math.min(to, sums.from(slot + 1));
      sums.add(node, slot, rate * (end - at));
      at = end;
    }
  }

  /// Returns the milliseconds in a slot for which the node was not there.
  public double absentMillis(int node, int slot) {
    return absent.sum(node, slot);
  }

  /// Returns the length of a slot in milliseconds; the first slot begins with the trace.
  public long slotMillis() {
    return used.width();
  }

  /// Returns the GPU-milliseconds of these nodes together in each slot; 0 after the end of the run.
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
    return other instanceof Occupancy that && used.equals(that.used) && absent.equals(that.absent);
  }

  @Override
  public int hashCode() {
    return 31 * used.hashCode() + absent.hashCode();
  }
}
