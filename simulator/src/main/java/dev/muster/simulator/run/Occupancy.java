package dev.muster.simulator.run;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How much of each node was in use when, in a bounded number of slots of equal length: when time
/// runs past the last slot, pairs are merged and each slot is twice as long.
public final class Occupancy {
  private static final int SLOTS = 256;

  private final double[][] used;
  private long width = 1_000;

  /// Nothing is in use.
  Occupancy(int nodes) {
    this.used = new double[nodes][SLOTS];
  }

  /// The slots reach to this time, whether anything was in use then or not.
  void reach(long millis) {
    while (millis > width * SLOTS) {
      merge();
    }
  }

  /// So many thousandths of GPUs of the node were in use for some time.
  void add(int node, long gpuMilli, long from, long to) {
    reach(to);
    for (long at = from; at < to; at = (at / width + 1) * width) {
      long end = Math.min(to, (at / width + 1) * width);
      used[node][(int) (at / width)] += (double) gpuMilli * (end - at);
    }
  }

  private void merge() {
    for (double[] row : used) {
      for (int i = 0; i < SLOTS / 2; i++) {
        row[i] = row[2 * i] + row[2 * i + 1];
      }
      Arrays.fill(row, SLOTS / 2, SLOTS, 0);
    }
    width *= 2;
  }

  /// The length of a slot in milliseconds; the first begins with the trace.
  public long slotMillis() {
    return width;
  }

  /// GPU-milliseconds of these nodes together that were in use in each slot; 0 after the end of the
  /// run.
  public double[] gpuMillis(List<Integer> nodes) {
    double[] sums = new double[SLOTS];
    for (int node : nodes) {
      for (int slot = 0; slot < SLOTS; slot++) {
        sums[slot] += used[node][slot] / 1000.0;
      }
    }
    return sums;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Occupancy that
        && width == that.width
        && Arrays.deepEquals(used, that.used);
  }

  @Override
  public int hashCode() {
    return Arrays.deepHashCode(used);
  }
}
