package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// LeaderWorkerSet without its gang option: Muster makes the gangs.
class OperatorLeaderWorkerSetRun extends LeaderWorkerSetScenarios {
  @Order(1)
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped();

  @Order(3)
  @RegisterExtension
  static final JobController CONTROLLER = JobController.of(STAGE, JobControllerModule.LWS);

  OperatorLeaderWorkerSetRun() {
    super(STAGE);
  }

  @Test
  void pod_group_of_a_replica_goes_with_it() {
    createNodes("a", "b", "c", "d");
    sample.create();
    pods.awaitRunning(4);
    assertThat(podGroups()).containsExactly("leaderworkerset-serve-0", "leaderworkerset-serve-1");

    sample.change("/spec/replicas", 1);

    await("the PodGroup of the other replica is gone")
        .atMost(TestCluster.WAIT)
        .until(() -> podGroups().equals(List.of("leaderworkerset-serve-0")));
  }

  private static List<String> podGroups() {
    return STAGE
        .admin()
        .genericKubernetesResources("scheduling.x-k8s.io/v1alpha1", "PodGroup")
        .inNamespace("default")
        .list()
        .getItems()
        .stream()
        .map(group -> Objects.requireNonNull(group.getMetadata().getName()))
        .sorted()
        .toList();
  }
}
