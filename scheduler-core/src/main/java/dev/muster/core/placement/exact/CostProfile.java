package dev.muster.core.placement.exact;

import java.util.Arrays;

/// What can be taken, and at what cost: for each number of [CountVectors] that is possible, 0 left out,
/// the least cost, laid out by [CostLayout].
final class CostProfile {
  private final int[] states;
  private final long[] words;
  private final int width;

  /// @param states what can be taken, ascending
  /// @param words the cost of each, one after the other
  CostProfile(int[] states, long[] words) {
    this.states = states;
    this.words = words;
    this.width = states.length == 0 ? 0 : words.length / states.length;
  }

  /// What can be taken, ascending; not to be changed.
  int[] states() {
    return states;
  }

  /// The cost of each state, one after the other.
  long[] words() {
    return words;
  }

  boolean isEmpty() {
    return states.length == 0;
  }

  /// The cost of the greatest state.
  long[] last() {
    return Arrays.copyOfRange(words, words.length - width, words.length);
  }

  /// The greatest state; 0 when nothing can be taken.
  int most() {
    return isEmpty() ? 0 : states[states.length - 1];
  }

  /// The same costs for other numbers.
  ///
  /// @param others ascending
  /// @param numbers what each of them is here, -1 where it cannot be had
  CostProfile renumbered(int[] others, int[] numbers) {
    int[] found = new int[others.length];
    long[] cost = new long[others.length * width];
    int count = 0;
    for (int i = 0; i < others.length; i++) {
      int at = numbers[i] < 0 ? -1 : Arrays.binarySearch(states, numbers[i]);
      if (at >= 0) {
        System.arraycopy(words, at * width, cost, count * width, width);
        found[count++] = others[i];
      }
    }
    return new CostProfile(Arrays.copyOf(found, count), Arrays.copyOf(cost, count * width));
  }
}
