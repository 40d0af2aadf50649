package dev.muster.core.state;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.time.Instant;

/// What was shown of each gang, and what is still to be.
///
/// @param published what was last shown of each gang
/// @param hushed gangs whose message changed its numbers too soon after the last one
/// @param stale classes whose answer became another one: their gangs are to be told, a few at a
///   tick
/// @param seen whether anybody looks: else nothing is worded and nothing shown
public record PublishedStatuses(
    SortedTable<GangId, Published> published,
    SortedKeys<GangId> hushed,
    SortedKeys<WaitClass.Key> stale,
    boolean seen) {
  /// A status, and when it was published.
  public record Published(GangStatus status, Instant at) {}

  public static final PublishedStatuses NOTHING = nothing(true);
  public static final PublishedStatuses UNSEEN = nothing(false);

  private static PublishedStatuses nothing(boolean seen) {
    return new PublishedStatuses(SortedTable.empty(), SortedKeys.empty(), SortedKeys.empty(), seen);
  }

  public PublishedStatuses with(GangId gang, GangStatus status, Instant at) {
    return new PublishedStatuses(
        published.with(gang, new Published(status, at)), hushed.without(gang), stale, seen);
  }

  public PublishedStatuses without(GangId gang) {
    return new PublishedStatuses(published.without(gang), hushed.without(gang), stale, seen);
  }

  public PublishedStatuses hushing(GangId gang) {
    return new PublishedStatuses(published, hushed.with(gang), stale, seen);
  }

  public PublishedStatuses speaking(GangId gang) {
    return new PublishedStatuses(published, hushed.without(gang), stale, seen);
  }

  public PublishedStatuses outdating(WaitClass.Key key) {
    return new PublishedStatuses(published, hushed, stale.with(key), seen);
  }

  public PublishedStatuses told(WaitClass.Key key) {
    return new PublishedStatuses(published, hushed, stale.without(key), seen);
  }
}
