package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// An owner of many gangs that is written all the time is compared with them once a second.
class DeferredOwnersTest extends OwnerScene {
  private void set(String uid, int replicas) {
    own(
        """
        apiVersion: leaderworkerset.x-k8s.io/v1
        kind: LeaderWorkerSet
        metadata: {namespace: ml, name: vllm, uid: %s}
        spec:
          replicas: %d
          leaderWorkerTemplate: {size: 4, workerTemplate: {spec: %s}}
        """
            .formatted(uid, replicas, GPUS));
  }

  private void members(int gangs) {
    for (int group = 0; group < gangs; group++) {
      see(
          "vllm-" + group,
          "StatefulSet/vllm",
          """
          leaderworkerset.sigs.k8s.io/name: vllm, leaderworkerset.sigs.k8s.io/group-index: "%d",
          leaderworkerset.sigs.k8s.io/worker-index: "0"
          """
              .formatted(group));
    }
  }

  /// Returns how many PodGroups are read again for this number of replicas.
  private int readFor(int replicas) {
    again.clear();
    set("o1", replicas);
    return again.size();
  }

  private int readInTheNextSecond() {
    again.clear();
    settle(1);
    gangs.reread(Set.of());
    return again.size();
  }

  @Test
  void further_writes_to_a_large_owner_wait_for_the_next_second() {
    gangs.reread(Set.of()); // notes the kinds that are switched on
    set("o1", DeferredOwners.MANY);
    members(DeferredOwners.MANY);

    assertThat(readFor(500)).isEqualTo(DeferredOwners.MANY);
    assertThat(readFor(501) + readFor(502)).isZero();
    assertThat(readInTheNextSecond()).isEqualTo(DeferredOwners.MANY);
    assertThat(readFor(503)).isZero(); // it was compared just now
    assertThat(readInTheNextSecond()).isEqualTo(DeferredOwners.MANY);
    assertThat(readInTheNextSecond()).isZero();
  }

  @Test
  void writes_to_a_small_owner_do_not_wait() {
    set("o1", DeferredOwners.MANY);
    members(2);

    assertThat(readFor(500)).isEqualTo(2);
    assertThat(readFor(501)).isEqualTo(2);
  }

  /// Its pods may be in other gangs now.
  @Test
  void large_owner_that_was_created_again_does_not_wait() {
    set("o1", DeferredOwners.MANY);
    members(DeferredOwners.MANY);
    readFor(500);
    again.clear();
    set("o2", 500);

    assertThat(again).contains("pod ml/vllm-0", "group ml/leaderworkerset-vllm-0");
  }

  /// One write to create the owner would cause any number of writes for its replicas.
  @Test
  void replicas_of_an_owner_that_was_created_again_keep_their_pauses() {
    for (String uid : List.of("o1", "o2", "o3", "o4", "o5")) {
      set(uid, 2);
      members(2);
      settle(1);
    }

    assertThat(wanted).hasSizeLessThan(2 * 5);
  }
}
