package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.Member;
import java.util.List;

/// Pending members are the members of a gang that need a place now.
public final class PendingMembers {
  private PendingMembers() {}

  /// Returns the members without a promise that may still run under the maximum, in rank order.
  public static List<Member> of(Cluster cluster, Gang gang) {
    List<Member> wanting = cluster.unpromised(gang);
    int running = gang.runningCount(cluster.reservations().get(gang.id()));
    int most = Math.max(0, gang.maxCount() - running);
    return wanting.subList(0, Math.min(most, wanting.size()));
  }

  /// Returns the pending members that the gang needs for its minimum. If it has its minimum, that
  /// is the next one.
  public static List<Member> needed(Cluster cluster, Gang gang) {
    List<Member> wanting = of(cluster, gang);
    int least = Math.max(1, cluster.lacking(gang));
    return wanting.subList(0, Math.min(least, wanting.size()));
  }

  /// True if the gang has its minimum, or the lower one with which it ran whole before, or if none
  /// of its members runs or wants a node.
  public static boolean isWhole(Gang gang) {
    boolean started = gang.boundCount() + gang.succeededCount() >= gang.wholeCount();
    return started || gang.members().count(m -> m.isBound() || m.wantsNode()) == 0;
  }
}
