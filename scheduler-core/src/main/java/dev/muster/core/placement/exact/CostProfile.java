package dev.muster.core.placement.exact;

import java.util.Arrays;

/// The least cost of each possible state of [CountVectors] except 0, in the layout of [CostLayout].
final class CostProfile {
  private final int[] states;
  private final long[] words;
  private final int width;

  /// @param states possible states, ascending
  /// @param words cost of each state, one after the other
  CostProfile(int[] states, long[] words) {
    this.states = states;
    this.words = words;
    this.width = states.length == 0 ? 0 : words.length / states.length;
  }

  /// Returns the possible states, ascending; not to be modified.
  int[] states() {
    return states;
  }

  /// Returns the cost of each state, one after the other.
  long[] words() {
    return words;
  }

  boolean isEmpty() {
    return states.length == 0;
  }

  /// Returns the cost of the greatest state.
  long[] last() {
    return Arrays.copyOfRange(words, words.length - width, words.length);
  }

  /// Returns the greatest possible state; 0 if there is none.
  int most() {
    return isEmpty() ? 0 : states[states.length - 1];
  }

  /// Returns these costs under other state numbers.
  ///
  /// @param others new states, ascending
  /// @param numbers the state here for each new state; -1 if it is impossible
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
