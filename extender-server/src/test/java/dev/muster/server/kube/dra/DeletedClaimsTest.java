package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.Yaml;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A pod that has a node keeps the GPUs of a claim that is deleted under it. Its owner can remove
/// the finalizer of the claim, and the containers go on with the GPUs.
class DeletedClaimsTest extends DeviceScene {
  private static final Resources TWO = Resources.of(GPU, 2);

  @BeforeEach
  void slices() {
    slice("s", Yaml.file("slice-h100.yaml"));
  }

  private static Pod running(String uid) {
    return pod(uid, "resourceClaimName: a", "nodeName: gpu-07");
  }

  private static Pod succeeded(String uid) {
    return pod(uid, "resourceClaimName: a", "nodeName: gpu-07\nstatus: {phase: Succeeded}");
  }

  /// Deletes the claim under these pods, which run.
  private void deleted(String... users) {
    held("1", users);
    for (String user : users) {
      devices.pod(running(user));
    }
    devices.claim("ml/a", Optional.empty());
  }

  /// A claim of this uid that has two GPUs and these holders.
  private void held(String uid, String... users) {
    StringBuilder holders = new StringBuilder();
    for (String user : users) {
      holders.append("{resource: pods, name: %s, uid: %s},".formatted(user, user));
    }
    claim(
        "a",
        """
        metadata: {namespace: ml, name: a, uid: %s}
        spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]}}
        status:
          allocation: {devices: {results: [
            {request: gpus, driver: gpu.nvidia.com, pool: gpu-07, device: gpu-0},
            {request: gpus, driver: gpu.nvidia.com, pool: gpu-07, device: gpu-1}]}}
          reservedFor: [%s]
        """
            .formatted(uid, holders));
  }

  /// A claim of the same name and another uid that asks for one GPU.
  private void again() {
    claim("a", DIRECT.formatted("a, uid: 2"));
  }

  @Test
  void running_pod_keeps_the_gpus_of_a_deleted_claim() {
    deleted("p");

    assertThat(claimed(running("p"))).isEqualTo(TWO);
    assertThat(claimed(running("p"))).isEqualTo(TWO);
  }

  @Test
  void running_pod_keeps_them_if_a_claim_of_that_name_comes() {
    deleted("p");
    again();

    assertThat(claimed(running("p"))).isEqualTo(TWO);
  }

  /// As if its deletion had been missed.
  @Test
  void running_pod_keeps_them_if_another_claim_replaces_it() {
    held("1", "p");
    devices.pod(running("p"));
    held("2", "q");

    assertThat(claimed(running("p"))).isEqualTo(TWO);
  }

  @Test
  void claim_that_comes_back_counts_as_it_is() {
    deleted("p");
    claim(
        "a",
        """
        metadata: {namespace: ml, name: a, uid: 1}
        spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com}}]}}
        """);

    assertThat(claimed(running("p"))).isEqualTo(Resources.of(GPU, 1));
  }

  @Test
  void pod_without_a_node_follows_the_claims_of_now() {
    Pod waiting = pod("p", "resourceClaimName: a", "");
    held("1", "p");
    devices.pod(waiting);
    devices.claim("ml/a", Optional.empty());

    assertThat(problem(waiting)).contains("ResourceClaim ml/a, which does not exist");
    again();
    assertThat(claimed(waiting)).isEqualTo(Resources.of(GPU, 1));
    assertThat(claimed(running("p"))).isEqualTo(Resources.of(GPU, 1));
  }

  @Test
  void claim_that_no_pod_had_is_not_kept() {
    held("1");
    devices.pod(running("p"));
    devices.claim("ml/a", Optional.empty());

    assertThat(problem(running("p"))).contains("does not exist");
  }

  @Test
  void first_of_several_holders_counts_and_leaves_them_to_the_next() {
    deleted("p", "q");

    assertThat(claimed(running("p"))).isEqualTo(TWO);
    assertThat(claimed(running("q"))).isEqualTo(Resources.NONE);

    devices.pod(succeeded("p"));

    assertThat(devices.freed()).containsExactly("ml/a");
    assertThat(claimed(running("q"))).isEqualTo(TWO);
  }

  /// Its holders are read again although another pod that names the claim was seen before.
  @Test
  void holder_that_was_not_seen_first_leaves_them_too() {
    held("1", "p", "q");
    devices.pod(running("q"));
    devices.pod(running("p"));
    devices.claim("ml/a", Optional.empty());

    devices.noPod("ml/p");

    assertThat(devices.freed()).containsExactly("ml/a");
    assertThat(claimed(running("q"))).isEqualTo(TWO);
  }

  @Test
  void later_pod_of_that_name_does_not_have_them() {
    deleted("p");
    Pod later = running("p");
    later.getMetadata().setUid("later");

    assertThat(problem(later)).contains("does not exist");
    assertThat(problem(running("p"))).contains("does not exist");
  }
}
