package dev.muster.core.placement.request;

import java.util.ArrayList;
import java.util.List;

/// Layout of the additive terms of a [Score] in a `long` array.
///
/// 1. The domains spanned at each level, and the nodes, packed several to a word. Comparing the
///    words compares the terms in order.
/// 2. The increase of fragmentation.
/// 3. The free GPUs of the innermost domains.
/// 4. The free GPUs of the nodes.
///
/// A packed field has 15 bits, or 31 bits for a gang with more members than 15 bits count. That is
/// enough, as a gang spans no more domains than it has members.
///
/// Example: with one level, 2 racks and 3 nodes are the word `2 << 45 | 3 << 30`. It is greater
/// than the word of 2 racks and 2 nodes, and less than the word of 3 racks and 3 nodes. Three more
/// words follow.
public final class CostLayout {
  private final int levels;
  private final int bits;
  private final int perWord;
  private final int packed;

  CostLayout(int levels, int members) {
    this.levels = levels;
    this.bits = members < 1 << 15 ? 15 : 31;
    this.perWord = 62 / bits;
    this.packed = (levels + perWord) / perWord; // levels and nodes, rounded up
  }

  /// Returns the number of words.
  public int words() {
    return packed + 3;
  }

  /// Returns the index of the word for the increase of fragmentation.
  public int leftover() {
    return packed;
  }

  /// Returns the index of the word for the free GPUs of the innermost domains.
  public int freeGpus() {
    return packed + 1;
  }

  /// Returns the index of the word for the free GPUs of the nodes.
  public int slack() {
    return packed + 2;
  }

  public int levels() {
    return levels;
  }

  /// Adds to the domains spanned at a depth. Depth 1 is the outermost level; nodes are one below
  /// the innermost.
  ///
  /// @param at index at which the terms begin
  public void add(long[] cost, int at, int depth, long count) {
    cost[at + (depth - 1) / perWord] += count << shift(depth);
  }

  /// Returns the domains spanned at a depth.
  public long spans(long[] cost, int at, int depth) {
    return cost[at + (depth - 1) / perWord] >> shift(depth) & ((1L << bits) - 1);
  }

  /// Returns the domains spanned at each level, followed by the nodes.
  List<Long> spans(long[] cost) {
    List<Long> spans = new ArrayList<>();
    for (int depth = 1; depth <= levels + 1; depth++) {
      spans.add(spans(cost, 0, depth));
    }
    return spans;
  }

  private int shift(int depth) {
    return bits * (perWord - 1 - (depth - 1) % perWord);
  }
}
