package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.Member;
import java.util.List;

/// Which members of a gang want a place now.
public final class PendingMembers {
  private PendingMembers() {}

  /// Its members that wait without a promise, in rank order, as many as may still run.
  public static List<Member> of(Cluster cluster, Gang gang) {
    List<Member> wanting = cluster.unpromised(gang);
    int running = gang.runningCount(cluster.reservations().get(gang.id()));
    int most = Math.max(0, gang.maxCount() - running);
    return wanting.subList(0, Math.min(most, wanting.size()));
  }

  /// Those of them that it needs to start; of a gang that has its minimum, the next one.
  public static List<Member> needed(Cluster cluster, Gang gang) {
    List<Member> wanting = of(cluster, gang);
    int least = Math.max(1, cluster.lacking(gang));
    return wanting.subList(0, Math.min(least, wanting.size()));
  }

  /// Whether the gang has its minimum, or none of its members runs or wants a node.
  public static boolean isWhole(Gang gang) {
    boolean started = gang.boundCount() + gang.succeededCount() >= gang.minCount();
    return started || gang.members().count(m -> m.isBound() || m.wantsNode()) == 0;
  }
}
