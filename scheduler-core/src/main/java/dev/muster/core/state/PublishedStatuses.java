package dev.muster.core.state;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.time.Instant;

/// Published statuses are the last published status of each gang, and marks for those that are due.
///
/// @param published last published status of each gang
/// @param deferred gangs whose message changed only its numbers too soon after the last publication
/// @param stale classes whose answer changed its kind; their gangs are published a few at a tick
/// @param seen false if no reader exists; then no status is worded or published
public record PublishedStatuses(
    SortedTable<GangId, Published> published,
    SortedKeys<GangId> deferred,
    SortedKeys<WaitClass.Key> stale,
    boolean seen) {
  /// A status and the time of its publication.
  public record Published(GangStatus status, Instant at) {}

  public static final PublishedStatuses NOTHING = nothing(true);
  public static final PublishedStatuses UNSEEN = nothing(false);

  private static PublishedStatuses nothing(boolean seen) {
    return new PublishedStatuses(SortedTable.empty(), SortedKeys.empty(), SortedKeys.empty(), seen);
  }

  public PublishedStatuses with(GangId gang, GangStatus status, Instant at) {
    return new PublishedStatuses(
        published.with(gang, new Published(status, at)), deferred.without(gang), stale, seen);
  }

  public PublishedStatuses without(GangId gang) {
    return new PublishedStatuses(published.without(gang), deferred.without(gang), stale, seen);
  }

  public PublishedStatuses deferPublish(GangId gang) {
    return new PublishedStatuses(published, deferred.with(gang), stale, seen);
  }

  public PublishedStatuses publishNow(GangId gang) {
    return new PublishedStatuses(published, deferred.without(gang), stale, seen);
  }

  public PublishedStatuses outdating(WaitClass.Key key) {
    return new PublishedStatuses(published, deferred, stale.with(key), seen);
  }

  public PublishedStatuses withoutStale(WaitClass.Key key) {
    return new PublishedStatuses(published, deferred, stale.without(key), seen);
  }
}
