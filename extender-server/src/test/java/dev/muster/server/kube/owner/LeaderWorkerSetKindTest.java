package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

/// The gangs of a LeaderWorkerSet.
class LeaderWorkerSetKindTest extends OwnerScene {
  private static String set(String more) {
    return """
    apiVersion: leaderworkerset.x-k8s.io/v1
    kind: LeaderWorkerSet
    metadata: {namespace: ml, name: vllm, uid: o1}
    spec:
      replicas: 2
      %s
      leaderWorkerTemplate:
        size: 4
        workerTemplate: {spec: %s}
    """
        .formatted(more, GPUS);
  }

  private Pod member(int group, int worker) {
    String name = worker == 0 ? "vllm-" + group : "vllm-%d-%d".formatted(group, worker);
    return see(
        name,
        worker == 0 ? "StatefulSet/vllm" : "StatefulSet/vllm-" + group,
        """
        leaderworkerset.sigs.k8s.io/name: vllm, leaderworkerset.sigs.k8s.io/group-index: "%d",
        leaderworkerset.sigs.k8s.io/worker-index: "%d"
        """
            .formatted(group, worker));
  }

  @Test
  void each_replica_is_a_gang() {
    own(set(""));

    assertThat(gangOf(member(0, 0))).isEqualTo("leaderworkerset-vllm-0");
    assertThat(gangOf(member(1, 3))).isEqualTo("leaderworkerset-vllm-1");
    assertThat(requested())
        .containsExactlyInAnyOrder("leaderworkerset-vllm-0=4", "leaderworkerset-vllm-1=4");
  }

  @Test
  void workers_that_wait_for_their_leader_are_a_gang_without_it() {
    own(set("startupPolicy: LeaderReady"));

    assertThat(gangOf(member(0, 0))).isEmpty();
    assertThat(gangOf(member(0, 1))).isEqualTo("leaderworkerset-vllm-0.workers");
    assertThat(requested()).containsExactly("leaderworkerset-vllm-0.workers=3");
  }

  @Test
  void pods_cannot_ask_for_more_pod_groups_than_the_owner_has_replicas() {
    own(set(""));
    member(4, 0);

    assertThat(requested()).isEmpty();
  }
}
