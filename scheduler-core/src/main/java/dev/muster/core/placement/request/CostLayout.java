package dev.muster.core.placement.request;

import java.util.ArrayList;
import java.util.List;

/// Layout of the additive terms of a [Score] in a `long` array.
///
/// 1. The domains spanned at each level, and the nodes, packed several to a word. Comparing the
///    words compares the terms in order.
/// 2. The unmet preferences, if any matter.
/// 3. The increase of fragmentation.
/// 4. The domains and nodes that count only now, because the gang is near enough without them.
/// 5. The free GPUs of the innermost domains.
/// 6. The free GPUs of the nodes.
///
/// A packed field has 15 bits, or 31 bits for a gang with more members than 15 bits count. That is
/// enough, as a gang spans no more domains than it has members.
///
/// Example: with one level, 2 racks and 3 nodes are the word `2 << 45 | 3 << 30`. It is greater
/// than the word of 2 racks and 2 nodes, and less than the word of 3 racks and 3 nodes. Three more
/// words follow. For a gang to which one rack is near enough the words are `2 << 45`, the
/// fragmentation, `3 << 45`, and the two last ones.
public final class CostLayout {
  private final int levels;
  private final int near;
  private final int bits;
  private final int perWord;
  private final int unmet;
  private final int leftover;
  private final int freeGpus;

  /// @param near the innermost depth at which domains count before what is left behind
  /// @param preferences whether unmet preferences matter
  CostLayout(int levels, int near, int members, boolean preferences) {
    this.levels = levels;
    this.near = near;
    this.bits = members < 1 << 15 ? 15 : 31;
    this.perWord = 62 / bits;
    this.unmet = wordsFor(near);
    this.leftover = unmet + (preferences ? 1 : 0);
    this.freeGpus = leftover + 1 + wordsFor(levels + 1 - near);
  }

  private int wordsFor(int fields) {
    return (fields + perWord - 1) / perWord;
  }

  /// Returns the number of words.
  public int words() {
    return freeGpus + 2;
  }

  /// Returns the index of the word for the increase of fragmentation.
  public int leftover() {
    return leftover;
  }

  /// Returns the index of the word for the free GPUs of the innermost domains.
  public int freeGpus() {
    return freeGpus;
  }

  /// Returns the index of the word for the free GPUs of the nodes.
  public int slack() {
    return freeGpus + 1;
  }

  public int levels() {
    return levels;
  }

  /// Returns the innermost depth at which domains count before what is left behind. Depth 1 is the
  /// outermost level; nodes are one below the innermost.
  public int near() {
    return near;
  }

  /// Adds to the unmet preferences, if they matter.
  ///
  /// @param at index at which the terms begin
  public void addUnmet(long[] cost, int at, long amount) {
    if (unmet < leftover) {
      cost[at + unmet] += amount;
    }
  }

  /// Returns the unmet preferences.
  long unmet(long[] cost) {
    return unmet < leftover ? cost[unmet] : 0;
  }

  /// Adds to the domains spanned at a depth.
  ///
  /// @param at index at which the terms begin
  public void add(long[] cost, int at, int depth, long count) {
    cost[at + word(depth)] += count << shift(depth);
  }

  /// Returns the domains spanned at a depth.
  public long spans(long[] cost, int at, int depth) {
    return cost[at + word(depth)] >> shift(depth) & ((1L << bits) - 1);
  }

  /// Returns the domains spanned at each depth that counts before what is left behind.
  List<Long> spans(long[] cost) {
    return fields(cost, 1, near);
  }

  /// Returns the domains spanned at each depth that counts only after what is left behind.
  List<Long> innerSpans(long[] cost) {
    return fields(cost, near + 1, levels + 1);
  }

  private List<Long> fields(long[] cost, int from, int to) {
    List<Long> spans = new ArrayList<>();
    for (int depth = from; depth <= to; depth++) {
      spans.add(spans(cost, 0, depth));
    }
    return spans;
  }

  private int word(int depth) {
    return depth <= near ? (depth - 1) / perWord : leftover + 1 + (depth - 1 - near) / perWord;
  }

  private int shift(int depth) {
    int field = depth <= near ? depth - 1 : depth - 1 - near;
    return bits * (perWord - 1 - field % perWord);
  }
}
