package dev.muster.core.placement.request;

import java.util.ArrayList;
import java.util.List;

/// How the additive terms of a [Score] lie in an array of `long`: first the domains spanned at each
/// level and the nodes, packed several to a word so that words compare as they do; then what is
/// left behind; then the free GPUs of the innermost domains; then those of the nodes.
///
/// A field has 15 bits, which is enough as a gang spans no more domains than it has members; 31
/// where it has more members than that.
///
/// Example: with one level, 2 racks and 3 nodes are the word 2 << 45 | 3 << 30, which is more than
/// that of 2 racks and 2 nodes, and less than that of 3 racks and 3 nodes. Three more words follow.
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

  /// Words in all.
  public int words() {
    return packed + 3;
  }

  /// The word of what is left behind.
  public int leftover() {
    return packed;
  }

  /// The word of the free GPUs of the innermost domains.
  public int room() {
    return packed + 1;
  }

  /// The word of the free GPUs of the nodes.
  public int slack() {
    return packed + 2;
  }

  public int levels() {
    return levels;
  }

  /// Adds to the domains spanned at a depth, 1 for the outermost level; nodes are one below the
  /// innermost.
  ///
  /// @param at where the terms begin
  public void add(long[] cost, int at, int depth, long count) {
    cost[at + (depth - 1) / perWord] += count << shift(depth);
  }

  /// The domains spanned at a depth.
  public long spans(long[] cost, int at, int depth) {
    return cost[at + (depth - 1) / perWord] >> shift(depth) & ((1L << bits) - 1);
  }

  /// The domains spanned at each level, and the nodes.
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
