package dev.muster.core.gang;

import java.util.Optional;

/// The distance between members that is required and preferred. Levels are names of the configured
/// topology, or their node-label keys.
///
/// @param required level of which one domain must contain all members, or the gang does not start
/// @param preferred level of which one domain contains all members if possible. All places inside
///   it are near enough. Absent: as near as possible
/// @param slices groups of members that must each lie nearer still
/// @param layout distribution of the members over the domains and nodes in use
public record TopologyConstraint(
    Optional<String> required, Optional<String> preferred, Optional<Slices> slices, Layout layout) {
  /// The distribution of members over the domains and nodes in use.
  public enum Layout {
    /// The fewest domains and nodes possible; the last one gets the rest.
    PACKED,
    /// The fewest domains and nodes possible, filled evenly: the largest number of members on a
    /// node is minimal.
    BALANCED
  }

  /// No requirement: members are placed as near to each other as possible.
  public static final TopologyConstraint NONE = of(Optional.empty(), Optional.empty());

  /// True if all members, or the members of each slice, must stay inside one domain.
  public boolean isBinding() {
    return required.isPresent() || slices.isPresent();
  }

  /// Returns this constraint, completed by the other where this one leaves a part open.
  TopologyConstraint or(TopologyConstraint other) {
    return new TopologyConstraint(
        required.or(() -> other.required),
        preferred.or(() -> other.preferred),
        slices.or(() -> other.slices),
        layout == Layout.PACKED ? other.layout : layout);
  }

  /// Returns a constraint for a packed gang without slices.
  public static TopologyConstraint of(Optional<String> required, Optional<String> preferred) {
    return new TopologyConstraint(required, preferred, Optional.empty(), Layout.PACKED);
  }
}
