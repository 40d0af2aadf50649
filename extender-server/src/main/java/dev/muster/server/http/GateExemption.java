package dev.muster.server.http;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.state.State;

/// Decides if a pod without gang may be created without a gate. Such a pod starts at once:
/// `/filter` alone directs it to its node, which saves two patches.
///
/// Goals: an answer in microseconds, for every new pod. Pods that must wait get the gate, since
/// kube-scheduler retries every other pod again and again.
///
/// Constraints: the image is older than the pod, and other pods may be on their way. A wrong yes
/// costs retries and nothing else, because `/filter` rejects the pod.
///
/// Algorithm: yes while no gang waits for capacity or quota and [#MARGIN] such pods would fit. The
/// margin covers pods that are created at nearly one time. The first pod that must wait puts the
/// gate on all pods after it. kube-scheduler examines every node for a pod without gate. In a
/// cluster of 5,000 nodes, the maximum that Kubernetes supports, this costs as much as the two
/// patches. In smaller clusters it costs less.
///
/// Example: 1,000 nodes of 8 GPUs, 500 GPUs free, no gang waits. A pod of one GPU needs no gate. A
/// pod of 8 GPUs gets the gate: at most 62 such pods fit.
final class GateExemption {
  /// The number of pods that must fit. About as many pods are created while one image is built.
  static final int MARGIN = 64;

  private GateExemption() {}

  /// True if a pod of this many GPUs may be created without a gate.
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
