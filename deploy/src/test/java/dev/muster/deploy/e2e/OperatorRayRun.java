package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// RayClusters of KubeRay. The head and all workers are one gang.
class OperatorRayRun extends JobControllerScenarios {
  private static final String GROUP = "/spec/workerGroupSpecs/0/";

  @Order(1)
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped();

  @Order(2)
  @RegisterExtension
  static final JobController CONTROLLER = JobController.of(STAGE, JobControllerModule.KUBERAY);

  OperatorRayRun() {
    super(STAGE, JobControllerModule.KUBERAY, "raycluster.yaml", 5);
  }

  @Test
  void deleted_worker_is_replaced_beside_the_others() {
    run();
    Set<String> first = pods.uids();

    cluster.delete(
        pods.any(pod -> pod.getMetadata().getName().contains("worker")).getMetadata().getName());
    pods.awaitOthers(first, 1);

    pods.awaitRunning(5);
    assertThat(pods.uids()).filteredOn(first::contains).hasSize(4);
  }

  @Test
  void cluster_with_a_further_worker_grows() {
    run();
    sample.change(GROUP + "maxReplicas", 5);
    sample.change(GROUP + "replicas", 5);
    pods.awaitRunningBeside(5, 1, "");

    createNodes("e");

    pods.awaitRunning(6);
  }

  @Test
  void cluster_with_a_worker_less_shrinks() {
    run();

    sample.change(GROUP + "minReplicas", 3);
    sample.change(GROUP + "replicas", 3);

    pods.awaitRunning(4);
    cluster.create(TestCluster.gpuPod("next", 8));
    cluster.awaitRunning("next");
  }
}
