package dev.muster.server.kube;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import java.util.stream.Stream;

/// Whether a gang's pod is nominated before its gate is taken off, or only if kube-scheduler
/// refuses it or is slow: `/filter` alone sends it to its node, too.
///
/// Goals: one patch less for most pods of gangs.
///
/// Constraints: until the pod is bound, pods without GPUs may take what its node has left of CPU
/// and memory; nobody but a nomination keeps it for the pod.
///
/// Algorithm: no nomination where a quarter of the node's CPU and a quarter of its memory are left
/// beyond all that is used and promised: others would have to take more than that in the moment
/// until the pod is bound. In clusters of more than [#NODES] nodes always one: there it is dearer
/// that kube-scheduler looks at every node for a pod that it does not know to be nominated. With
/// 500 nodes a nomination costs an eighth of the pods per second, with 1,000 it gains as much or
/// nothing.
///
/// Example: on a node with 96 cores, a gang has 8 pods. At 8 cores each 32 are left and none is
/// nominated; at 10 cores each 16 are left, less than 24, and each is.
final class Nomination {
  /// In larger clusters a nomination is cheaper than a look at every node.
  static final int NODES = 750;

  private static final int PARTS = 4;

  private Nomination() {}

  /// Whether a pod that is promised this node is nominated at once.
  static boolean isNeeded(Cluster cluster, NodeId node) {
    return cluster.nodes().size() > NODES
        || cluster.nodes().get(node).stream().noneMatch(Nomination::hasMuchLeft);
  }

  private static boolean hasMuchLeft(NodeState node) {
    Resources left = node.unpromised();
    Resources all = node.node().allocatable();
    return Stream.of(Resources.CPU, Resources.MEMORY)
        .allMatch(name -> left.get(name) >= all.get(name) / PARTS);
  }
}
