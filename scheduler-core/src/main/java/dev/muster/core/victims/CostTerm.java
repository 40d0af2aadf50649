package dev.muster.core.victims;

/// One criterion by which victims are compared. A policy has several, the most important first.
///
/// @param name its name in policy files, such as `lowestPriority`
/// @param fold how the amounts of several victims are combined
public record CostTerm(String name, Fold fold) {
  /// Combines the amounts of several victims into one amount.
  public enum Fold {
    /// The maximum. Stopping ten gangs of low priority is then no worse than stopping one of them.
    MAX,
    /// The sum.
    SUM
  }
}
