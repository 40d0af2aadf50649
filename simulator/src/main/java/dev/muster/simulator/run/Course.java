package dev.muster.simulator.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The course of a run, kept in a bounded number of slots of equal length: when time runs past the
/// last slot, pairs are merged and each slot is twice as long.
final class Course {
  private static final int SLOTS = 2048;

  private final double[][] sums;
  private final double[] level;
  private long width = 1_000;
  private long now;

  /// @param gauges how many figures are kept
  Course(int gauges) {
    this.sums = new double[gauges][SLOTS];
    this.level = new double[gauges];
  }

  /// The time up to which levels are summed.
  long now() {
    return now;
  }

  void add(int gauge, double change) {
    level[gauge] += change;
  }

  void set(int gauge, double value) {
    level[gauge] = value;
  }

  /// Time goes on to `then` with the levels as they are.
  void advance(long then) {
    while (now < then) {
      while (now >= width * SLOTS) {
        merge();
      }
      int slot = (int) (now / width);
      long end = Math.min(then, (slot + 1) * width);
      for (int i = 0; i < level.length; i++) {
        sums[i][slot] += level[i] * (end - now);
      }
      now = end;
    }
  }

  private void merge() {
    for (double[] sum : sums) {
      for (int i = 0; i < SLOTS / 2; i++) {
        sum[i] = sum[2 * i] + sum[2 * i + 1];
      }
      Arrays.fill(sum, SLOTS / 2, SLOTS, 0);
    }
    width *= 2;
  }

  /// The means over each slot so far; gauges in the order of the parameters of [Sample].
  List<Sample> samples() {
    List<Sample> samples = new ArrayList<>();
    for (int slot = 0; slot * width < now; slot++) {
      long from = slot * width;
      long to = Math.min(now, from + width);
      double[] mean = new double[sums.length];
      for (int i = 0; i < mean.length; i++) {
        mean[i] = sums[i][slot] / (to - from);
      }
      samples.add(
          new Sample(from, to, mean[0], mean[1], mean[2], mean[3], mean[4], mean[5], mean[6]));
    }
    return samples;
  }
}
