package dev.muster.core.gang;

import java.util.Optional;

/// How near each other the members must and should be, as level names of the configured topology or
/// their node-label keys.
///
/// @param required all members inside one domain of this level, or the gang does not start
/// @param preferred all inside one domain of this level if possible; without it: as near as
///   possible
public record TopologyConstraint(Optional<String> required, Optional<String> preferred) {
  /// As near as possible, wherever that is.
  public static final TopologyConstraint NONE =
      new TopologyConstraint(Optional.empty(), Optional.empty());
}
