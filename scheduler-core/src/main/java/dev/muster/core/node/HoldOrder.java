package dev.muster.core.node;

import dev.muster.core.gang.GangId;
import java.time.Instant;

/// Who is served before whom where a node cannot give yet all that is held there.
///
/// First comes what nobody may pass, then the higher priority, and of equal ones what counts on
/// certain pods, since all that it lacks is what these have left or will leave. A place that drains
/// wants whatever comes free, so it comes last: else it would swallow just what came free for
/// another. The rest is a total order that does not change, so that no two wait for each other.
///
/// @param kind why the room is held
/// @param priority the priority of the gang that counts
/// @param since when the gang was first held room for
/// @param gang the last word
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
