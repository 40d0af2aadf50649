package dev.muster.core.placement.oracle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.node.NodeState;

/// The puzzle of a gang that is alone on the cluster.
final class EmptyNodes {
  private EmptyNodes() {}

  /// Returns the puzzle with all its nodes, and nobody on them but the gang's own members.
  static Puzzle of(Puzzle puzzle) {
    Cluster cluster = Cluster.empty(puzzle.topology());
    for (NodeState node : puzzle.nodes()) {
      cluster = cluster.apply(new Event.NodeSeen(puzzle.cluster().now(), node.node()));
    }
    Gang gang = puzzle.gang();
    for (Member member : gang.members()) {
      cluster = cluster.apply(new Event.MemberSeen(cluster.now(), member));
    }
    cluster = cluster.apply(new Event.GangSeen(cluster.now(), gang.spec().orElseThrow()));
    return Puzzle.of(cluster, cluster.gang(gang.id()));
  }

  /// True if any member of the gang has a node.
  static boolean hasMates(Puzzle puzzle) {
    return puzzle.gang().members().any(member -> member.state() instanceof MemberState.Bound);
  }
}
