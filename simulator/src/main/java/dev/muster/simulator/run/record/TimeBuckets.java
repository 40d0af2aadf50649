package dev.muster.simulator.run.record;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Sums over time, row by row, in a bounded number of slots of equal length. Slots are one second
/// long at first. When time passes the last slot, pairs are merged and each slot is twice as long.
///
/// Example: four slots of 1 s have the sums 1, 2, 3 and 4. Once 5 s are reached, the slots of 2 s
/// have the sums 3, 7, 0 and 0.
final class TimeBuckets {
  private final double[][] sums;
  private final int count;
  private long width = 1_000;

  TimeBuckets(int rows, int count) {
    this.sums = new double[rows][count];
    this.count = count;
  }

  /// Extends the slots to this time.
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

  /// Returns the slot of the time, within the range already reached.
  int at(long millis) {
    return (int) (millis / width);
  }

  /// Returns the start of the slot.
  long from(int slot) {
    return slot * width;
  }

  /// Returns the length of a slot in milliseconds.
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
