package dev.muster.core.gang;

import java.time.Instant;
import java.util.Optional;

/// What a running pod says of itself, by annotations.
///
/// @param checkpoint when its last checkpoint was complete
/// @param acknowledged the deadline of the notice for which it has saved what it wants to save
public record Report(Optional<Instant> checkpoint, Optional<Instant> acknowledged) {
  /// It says nothing.
  public static final Report NONE = new Report(Optional.empty(), Optional.empty());
}
