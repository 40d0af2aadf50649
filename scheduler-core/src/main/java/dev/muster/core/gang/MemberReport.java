package dev.muster.core.gang;

import java.time.Instant;
import java.util.Optional;

/// The facts on a pod beside its state: annotations that it sets about itself, and its eviction.
///
/// @param checkpoint completion time of its last checkpoint
/// @param acknowledged deadline of the notice for which the pod has finished saving its work
/// @param evictedAt time since which it is marked for eviction; a controller that deletes its pods
///   marks none
public record MemberReport(
    Optional<Instant> checkpoint, Optional<Instant> acknowledged, Optional<Instant> evictedAt) {
  /// An empty report.
  public static final MemberReport NONE = new MemberReport(Optional.empty(), Optional.empty());

  /// Creates the report of a pod that is not marked for eviction.
  public MemberReport(Optional<Instant> checkpoint, Optional<Instant> acknowledged) {
    this(checkpoint, acknowledged, Optional.empty());
  }
}
