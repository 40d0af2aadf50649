package dev.muster.server.http;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.state.State;

/// Whether a pod without gang may come without a gate: it would start at once, and `/filter` alone
/// sends it to its node, so that two patches are spared.
///
/// Goals: answered in microseconds, for every new pod; pods that have to wait have the gate, since
/// kube-scheduler tries every other pod again and again.
///
/// Constraints: the image is older than the pod, and other pods may be on their way. A wrong yes
/// costs tries, nothing else: `/filter` holds the pod.
///
/// Algorithm: yes while nobody waits for room or quota and there is room for [#MARGIN] such pods,
/// so that those who come at the same time find room too. The first that has to wait puts the gate
/// on all that follow. kube-scheduler looks at every node for such a pod. In a cluster of 5,000,
/// the most that Kubernetes supports, that is as dear as the two patches; in smaller ones it is
/// cheaper.
///
/// Example: 1,000 nodes of 8 GPUs, 500 GPUs free, nobody waits. A pod of one GPU comes without
/// gate. One of 8 has the gate: at most 62 such pods find room.
final class GateExemption {
  /// For so many pods there must be room; about as many are created while an image is made.
  static final int MARGIN = 64;

  private GateExemption() {}

  /// Whether a pod of so many GPUs may come without gate.
  static boolean isAmple(State state, int gpus) {
    Cluster cluster = state.cluster();
    return gpus >= 1
        && cluster.synced()
        && state.waiting().seats().isEmpty()
        && holds(cluster, gpus) >= MARGIN;
  }

  private static int holds(Cluster cluster, int gpus) {
    int pods = 0;
    for (DomainCapacity.Histogram nodes : cluster.fabric().capacity().byKind()) {
      pods += nodes.holds(gpus);
    }
    return pods;
  }
}
