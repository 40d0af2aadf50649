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

  /// The LeaderWorkerSet has two replicas, and this PodGroup belongs to one with this number.
  private void podGroup(int replica) {
    minimum("leaderworkerset-vllm-" + replica, 4, "LeaderWorkerSet/vllm", "o1");
  }

  @Test
  void pod_group_of_a_replica_that_was_given_up_is_deleted() {
    own(set(""));
    podGroup(1);
    podGroup(2);

    assertThat(requested()).containsExactly("leaderworkerset-vllm-2=0");
  }

  @Test
  void pod_group_of_a_replica_of_an_update_stays_while_it_has_pods() {
    own(set(""));
    member(2, 0);
    podGroup(2);

    assertThat(requested()).doesNotContain("leaderworkerset-vllm-2=0");
  }

  @Test
  void pod_group_is_deleted_when_its_replica_is_given_up_later() {
    own(set(""));
    podGroup(0);
    podGroup(1);
    assertThat(requested()).isEmpty();
    own(set("").replace("replicas: 2", "replicas: 1"));

    assertThat(requested()).containsExactly("leaderworkerset-vllm-1=0");
  }

  @Test
  void pod_group_is_deleted_when_the_last_pod_of_its_replica_is() {
    own(set(""));
    member(2, 0);
    podGroup(2);
    requested();
    lose("vllm-2");

    assertThat(requested()).containsExactly("leaderworkerset-vllm-2=0");
  }

  @Test
  void pod_group_that_is_seen_before_its_owner_is_deleted() {
    podGroup(2);
    requested();
    own(set(""));

    assertThat(requested()).containsExactly("leaderworkerset-vllm-2=0");
  }

  @Test
  void deletion_is_repeated_until_the_pod_group_is_gone() {
    own(set(""));
    podGroup(2);
    requested();

    assertThat(requested()).containsExactly("leaderworkerset-vllm-2=0");
  }

  @Test
  void pod_group_of_a_replica_that_is_wanted_again_stays() {
    own(set(""));
    podGroup(2);
    requested();
    own(set("").replace("replicas: 2", "replicas: 3"));

    assertThat(requested()).isEmpty();
  }

  /// Its API may be served no longer, so the store still has it.
  @Test
  void pod_group_that_was_deleted_is_not_deleted_again() {
    own(set(""));
    podGroup(2);
    requested();
    gangs.gone(podGroups.keySet().iterator().next());

    assertThat(requested()).isEmpty();
  }
}
