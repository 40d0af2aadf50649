package dev.muster.core.gang;

import java.util.Optional;

/// How near each other the members must and should be, as level names of the configured topology or
/// their node-label keys.
///
/// @param required all members inside one domain of this level, or the gang does not start
/// @param preferred all inside one domain of this level if possible; without it: as near as
///   possible
/// @param slices groups of members that must be nearer still, each by itself
/// @param layout how the members are shared out among the domains and nodes that are used
public record TopologyConstraint(
    Optional<String> required, Optional<String> preferred, Optional<Slices> slices, Layout layout) {
  /// How members are shared out.
  public enum Layout {
    /// In as few domains and nodes as can be, whatever is left for the last one.
    PACKED,
    /// In as few domains and nodes as can be, evenly: no node has more members than it must.
    BALANCED
  }

  /// As near as possible, wherever that is.
  public static final TopologyConstraint NONE = of(Optional.empty(), Optional.empty());

  /// Whether members must stay inside a domain, all of them or each slice.
  public boolean isBinding() {
    return required.isPresent() || slices.isPresent();
  }

  /// This constraint, and what the other says where this says nothing.
  TopologyConstraint or(TopologyConstraint other) {
    return new TopologyConstraint(
        required.or(() -> other.required),
        preferred.or(() -> other.preferred),
        slices.or(() -> other.slices),
        layout == Layout.PACKED ? other.layout : layout);
  }

  /// A packed gang without slices.
  public static TopologyConstraint of(Optional<String> required, Optional<String> preferred) {
    return new TopologyConstraint(required, preferred, Optional.empty(), Layout.PACKED);
  }
}
