package dev.muster.core.engine;

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
record Shown(
    SortedTable<GangId, State.Published> published,
    SortedKeys<GangId> hushed,
    SortedKeys<WaitClass.Key> stale,
    boolean seen) {
  static final Shown NOTHING = nothing(true);
  static final Shown UNSEEN = nothing(false);

  private static Shown nothing(boolean seen) {
    return new Shown(SortedTable.empty(), SortedKeys.empty(), SortedKeys.empty(), seen);
  }

  Shown with(GangId gang, GangStatus status, Instant at) {
    return new Shown(
        published.with(gang, new State.Published(status, at)), hushed.without(gang), stale, seen);
  }

  Shown without(GangId gang) {
    return new Shown(published.without(gang), hushed.without(gang), stale, seen);
  }

  Shown hushing(GangId gang) {
    return new Shown(published, hushed.with(gang), stale, seen);
  }

  Shown speaking(GangId gang) {
    return new Shown(published, hushed.without(gang), stale, seen);
  }

  Shown outdating(WaitClass.Key key) {
    return new Shown(published, hushed, stale.with(key), seen);
  }

  Shown told(WaitClass.Key key) {
    return new Shown(published, hushed, stale.without(key), seen);
  }
}
