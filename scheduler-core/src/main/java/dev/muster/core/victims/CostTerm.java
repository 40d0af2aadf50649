package dev.muster.core.victims;

/// One thing that victims are chosen by; a policy has several, the first counting most.
///
/// @param name its name in policy files, `lowestPriority`
/// @param fold how the amounts of several victims make one
public record CostTerm(String name, Fold fold) {
  /// How the amounts of several victims make one.
  public enum Fold {
    /// The greatest counts: stopping ten unimportant gangs is no worse than stopping one of them.
    MAX,
    /// They add up.
    SUM
  }
}
