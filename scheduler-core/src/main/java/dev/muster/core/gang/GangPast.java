package dev.muster.core.gang;

import java.time.Instant;
import java.util.Optional;

/// The past of a gang that its present pods do not show.
///
/// Muster records it on the gang's object, so a restart knows it.
///
/// @param ranWith the minimum with which it last ran whole; absent until then
/// @param eligibleAt time at which it had enough members; its age counts from then
/// @param end outcome of its last run; absent before the first end, and from the next run on
/// @param evictedAt time since which members of its run are evicted and not replaced
public record GangPast(
    Optional<Integer> ranWith,
    Optional<Instant> eligibleAt,
    Optional<RunEnd> end,
    Optional<Instant> evictedAt) {
  /// Nothing is known.
  public static final GangPast NONE =
      new GangPast(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /// The outcome of a run whose pods have all ended.
  ///
  /// @param succeeded members that succeeded
  /// @param failed members that failed
  public record RunEnd(int succeeded, int failed) {
    /// Returns the number of members that ended.
    public int members() {
      return succeeded + failed;
    }
  }

  /// Returns this past, completed by what another one knows.
  public GangPast or(GangPast other) {
    return new GangPast(
        ranWith.or(other::ranWith),
        eligibleAt.or(other::eligibleAt),
        end.or(other::end),
        evictedAt.or(other::evictedAt));
  }

  /// Returns this past with another minimum with which the gang ran whole.
  public GangPast running(Optional<Integer> minimum) {
    return new GangPast(minimum, eligibleAt, end, evictedAt);
  }

  /// Returns this past with another time from which the age counts.
  public GangPast eligible(Optional<Instant> at) {
    return new GangPast(ranWith, at, end, evictedAt);
  }

  /// Returns this past with another outcome of the last run.
  public GangPast ending(Optional<RunEnd> outcome) {
    return new GangPast(ranWith, eligibleAt, outcome, evictedAt);
  }

  /// Returns this past with another time since which evicted members are not replaced.
  public GangPast evicted(Optional<Instant> at) {
    return new GangPast(ranWith, eligibleAt, end, at);
  }
}
