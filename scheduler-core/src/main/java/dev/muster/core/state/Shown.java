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
public record Shown(
    SortedTable<GangId, Published> published,
    SortedKeys<GangId> hushed,
    SortedKeys<WaitClass.Key> stale,
    boolean seen) {
  /// A status, and when it was published.
  public record Published(GangStatus status, Instant at) {}

  public static final Shown NOTHING = nothing(true);
  public static final Shown UNSEEN = nothing(false);

  private static Shown nothing(boolean seen) {
    return new Shown(SortedTable.empty(), SortedKeys.empty(), SortedKeys.empty(), seen);
  }

  public Shown with(GangId gang, GangStatus status, Instant at) {
    return new Shown(
        published.with(gang, new Published(status, at)), hushed.without(gang), stale, seen);
  }

  public Shown without(GangId gang) {
    return new Shown(published.without(gang), hushed.without(gang), stale, seen);
  }

  public Shown hushing(GangId gang) {
    return new Shown(published, hushed.with(gang), stale, seen);
  }

  public Shown speaking(GangId gang) {
    return new Shown(published, hushed.without(gang), stale, seen);
  }

  public Shown outdating(WaitClass.Key key) {
    return new Shown(published, hushed, stale.with(key), seen);
  }

  public Shown told(WaitClass.Key key) {
    return new Shown(published, hushed, stale.without(key), seen);
  }
}
