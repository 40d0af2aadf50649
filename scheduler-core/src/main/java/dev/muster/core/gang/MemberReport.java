package dev.muster.core.gang;

import java.time.Instant;
import java.util.Optional;

/// The facts on a pod beside its state: its annotations and its eviction.
///
/// @param checkpoint completion time of its last checkpoint
/// @param acknowledged deadline of the notice for which the pod has finished saving its work
/// @param evictedAt time since which it is marked for eviction; a controller that deletes its pods
///   marks none
/// @param chargedQueue the queue that is charged for it, recorded because the gang's object names
///   another one or is gone; not trusted, as the owner of the pod may have edited it
public record MemberReport(
    Optional<Instant> checkpoint,
    Optional<Instant> acknowledged,
    Optional<Instant> evictedAt,
    Optional<String> chargedQueue) {
  /// An empty report.
  public static final MemberReport NONE = new MemberReport(Optional.empty(), Optional.empty());

  /// Creates the report of a pod that is not marked for eviction.
  public MemberReport(Optional<Instant> checkpoint, Optional<Instant> acknowledged) {
    this(checkpoint, acknowledged, Optional.empty(), Optional.empty());
  }

  /// Returns this report with another mark for eviction.
  public MemberReport evicted(Optional<Instant> at) {
    return new MemberReport(checkpoint, acknowledged, at, chargedQueue);
  }

  /// Returns this report with a record of the charged queue.
  public MemberReport charging(Optional<String> queue) {
    return new MemberReport(checkpoint, acknowledged, evictedAt, queue);
  }
}
