package dev.muster.core.node;

import dev.muster.core.gang.GangId;
import java.time.Instant;

/// The order in which holds on one node are served while it cannot satisfy all of them.
///
/// 1. Kinds that higher priorities do not pass come first.
/// 2. Among the other kinds the higher priority comes first.
/// 3. Among equal priorities, holds that rely on the end of certain pods come first. They lack only
///    capacity that these pods have left or will leave.
/// 4. Draining comes last, since it takes all capacity that becomes free. Earlier it would take
///    just the capacity that becomes free for another gang.
///
/// The rest is a total order that does not change, so that no two gangs wait for each other.
///
/// @param kind reason for the hold
/// @param priority priority that counts for the gang
/// @param since time since when the gang has had a hold
/// @param gang the gang, which decides between equals
public record HoldOrder(Hold.Kind kind, int priority, Instant since, GangId gang)
    implements Comparable<HoldOrder> {
  @Override
  public int compareTo(HoldOrder other) {
    int side = Boolean.compare(kind.yieldsToHigher(), other.kind.yieldsToHigher());
    side = side == 0 && kind.yieldsToHigher() ? Integer.compare(other.priority, priority) : side;
    side = side == 0 ? kind.compareTo(other.kind) : side;
    side = side == 0 ? since.compareTo(other.since) : side;
    return side == 0 ? gang.compareTo(other.gang) : side;
  }
}
