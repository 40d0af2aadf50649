package dev.muster.simulator.run.record;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Sums over time, row by row, in a bounded number of slots of equal length, at first of a second:
/// when time runs past the last slot, pairs are merged and each slot is twice as long.
///
/// Example: of four slots of 1 s, with sums 1, 2, 3 and 4, there are 3, 7, 0 and 0 of 2 s once 5 s
/// are reached.
final class TimeBuckets {
  private final double[][] sums;
  private final int count;
  private long width = 1_000;

  TimeBuckets(int rows, int count) {
    this.sums = new double[rows][count];
    this.count = count;
  }

  /// The slots reach to this time.
  void reach(long millis) {
    while (millis > width * count) {
      merge();
    }
  }

  private void merge() {
    for (double[] row : sums) {
      for (int i = 0; i < count / 2; i++) {
        row[i] = row[2 * i] + row[2 * i + 1];
      }
      Arrays.fill(row, count / 2, count, 0);
    }
    width *= 2;
  }

  /// The slot in which the time lies, which they reach.
  int at(long millis) {
    return (int) (millis / width);
  }

  /// When the slot begins.
  long from(int slot) {
    return slot * width;
  }

  /// The length of a slot in milliseconds.
  long width() {
    return width;
  }

  void add(int row, int slot, double amount) {
    sums[row][slot] += amount;
  }

  double sum(int row, int slot) {
    return sums[row][slot];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TimeBuckets that
        && width == that.width
        && Arrays.deepEquals(sums, that.sums);
  }

  @Override
  public int hashCode() {
    return Arrays.deepHashCode(sums);
  }
}
