package dev.muster.core.gang;

import java.time.Instant;
import java.util.Optional;

/// The annotations that a running pod sets about itself.
///
/// @param checkpoint completion time of its last checkpoint
/// @param acknowledged deadline of the notice for which the pod has finished saving its work
public record MemberReport(Optional<Instant> checkpoint, Optional<Instant> acknowledged) {
  /// An empty report.
  public static final MemberReport NONE = new MemberReport(Optional.empty(), Optional.empty());
}
