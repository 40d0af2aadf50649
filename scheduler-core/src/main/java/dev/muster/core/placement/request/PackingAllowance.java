package dev.muster.core.placement.request;

import java.util.Optional;

/// The number of sets of members that a search may still try on nodes.
///
/// A search that packs several kinds by backtracking asks many domains. Each of them alone is
/// bounded, so their number must not multiply the bound.
public final class PackingAllowance {
  /// The sets that one search may try. With 32 kinds they take about 20 ms.
  private static final int SETS = 20_000;

  private final Optional<PackingAllowance> whole;
  private int left;

  private PackingAllowance(Optional<PackingAllowance> whole, int left) {
    this.whole = whole;
    this.left = left;
  }

  /// Returns the allowance of a search.
  public static PackingAllowance ofSearch() {
    return new PackingAllowance(Optional.empty(), SETS);
  }

  /// Returns a part of this allowance with at most so many sets.
  PackingAllowance upTo(int sets) {
    return new PackingAllowance(Optional.of(this), Math.min(sets, left));
  }

  /// Counts one set.
  void use() {
    left--;
    whole.ifPresent(PackingAllowance::use);
  }

  /// True if another set may be tried.
  public boolean isLeft() {
    return left > 0;
  }
}
