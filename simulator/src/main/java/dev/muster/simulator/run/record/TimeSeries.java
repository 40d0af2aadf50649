package dev.muster.simulator.run.record;

import java.util.ArrayList;
import java.util.List;

/// The figures of a run over time. Each figure is constant until it changes, and is summed in
/// [TimeBuckets].
final class TimeSeries {
  private static final int SLOTS = 2048;

  private final TimeBuckets sums;
  private final double[] level;
  private long now;

  /// @param gauges number of figures
  TimeSeries(int gauges) {
    this.sums = new TimeBuckets(gauges, SLOTS);
    this.level = new double[gauges];
  }

  /// Returns the time up to which levels are summed.
  long now() {
    return now;
  }

  void add(int gauge, double change) {
    level[gauge] += change;
  }

  void set(int gauge, double value) {
    level[gauge] = value;
  }

  /// Moves time forward to `then` with unchanged levels.
  void advance(long then) {
    while (now < then) {
      sums.reach(now + 1);
      int slot = sums.at(now);
      long end = Math.min(then, sums.from(slot + 1));
      for (int i = 0; i < level.length; i++) {
        sums.add(i, slot, level[i] * (end - now));
      }
      now = end;
    }
  }

  /// Returns the means over each slot so far; gauges are in the order of the parameters of
  /// [Sample].
  List<Sample> samples() {
    List<Sample> samples = new ArrayList<>();
    for (int slot = 0; sums.from(slot) < now; slot++) {
      long from = sums.from(slot);
      long to = Math.min(now, sums.from(slot + 1));
      double[] mean = new double[level.length];
      for (int i = 0; i < mean.length; i++) {
        mean[i] = sums.sum(i, slot) / (to - from);
      }
      samples.add(
          new Sample(from, to, mean[0], mean[1], mean[2], mean[3], mean[4], mean[5], mean[6]));
    }
    return samples;
  }
}
