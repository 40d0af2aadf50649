package dev.muster.core.placement.exact;

import dev.muster.core.placement.request.CostLayout;
import dev.muster.core.placement.request.CountVectors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Combines the costs of several branches: the least cost of every state over all ways to
/// distribute it.
///
/// Algorithm: (min,+) convolution, one branch after the other. Of equal ways, the one is kept that
/// leaves later branches unused.
///
/// Costs are vectors that are added term by term and compared lexicographically. Addition preserves
/// this order: a smaller vector stays smaller when an equal vector is added to both sides. So the
/// least sum consists of least parts, and one way for each state is enough (Bellman 1957).
///
/// Example with two terms, nodes and leftover: one branch takes 1 at (1, 5) and 2 at (2, 6),
/// another takes 1 at (1, 2). Together they take 1 at (1, 2). They take 2 at (2, 6) with the first
/// branch alone, because (1, 5) + (1, 2) = (2, 7) is more. They take 3 at (3, 8).
final class MinPlusSum {
  private static final long NONE = Long.MAX_VALUE;

  private final CountVectors vectors;
  private final int words;
  private final List<CostNode> children = new ArrayList<>();
  private final List<int[]> choices = new ArrayList<>();
  private long[] cost;
  private int most;

  MinPlusSum(CountVectors vectors, CostLayout terms) {
    this.vectors = vectors;
    this.words = terms.words();
    this.cost = new long[words];
  }

  void add(CostNode child) {
    int[] parts = child.costs().states();
    if (parts.length == 0) {
      return;
    }
    int after = (int) Math.min(vectors.all(), (long) most + parts[parts.length - 1]);
    grow(after);
    int[] choice = new int[after + 1];
    for (int state = after; state > 0; state--) {
      choice[state] = best(state, child);
    }
    most = after;
    children.add(child);
    choices.add(choice);
  }

  /// Sets the cost of a state to the least, and returns the part that the child takes.
  ///
  /// States are processed in descending order, so all smaller ones still exclude the child.
  private int best(int state, CostNode child) {
    int[] parts = child.costs().states();
    long[] extra = child.costs().words();
    int best = 0;
    for (int i = 0; i < parts.length && parts[i] <= state; i++) {
      int rest = state - parts[i];
      if (rest <= most
          && cost[rest * words] != NONE
          && vectors.covers(state, parts[i])
          && improves(state * words, rest * words, extra, i * words)) {
        best = parts[i];
      }
    }
    return best;
  }

  private boolean improves(int at, int rest, long[] extra, int part) {
    for (int word = 0; word < words; word++) {
      long sum = cost[rest + word] + extra[part + word];
      if (sum < cost[at + word]) {
        for (int each = word; each < words; each++) {
          cost[at + each] = cost[rest + each] + extra[part + each];
        }
        return true;
      }
      if (sum > cost[at + word]) {
        return false;
      }
    }
    return false;
  }

  private void grow(int after) {
    int length = cost.length;
    if (length < (after + 1) * words) {
      cost = Arrays.copyOf(cost, (after + 1) * words);
      Arrays.fill(cost, length, cost.length, NONE);
    }
  }

  /// Returns the combined profile of all branches. The costs of the states follow one after the
  /// other.
  CostNode.PartProfile profile() {
    int count = 0;
    for (int state = 1; state <= most; state++) {
      count += cost[state * words] == NONE ? 0 : 1;
    }
    int[] reached = new int[count];
    long[] least = new long[count * words];
    int at = 0;
    for (int state = 1; state <= most; state++) {
      if (cost[state * words] != NONE) {
        reached[at] = state;
        System.arraycopy(cost, state * words, least, at++ * words, words);
      }
    }
    return new CostNode.PartProfile(new CostProfile(reached, least), children, choices);
  }
}
