package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Muster is down, and the extender is not ignorable.
class MusterDownE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  @Test
  void gpu_pods_wait_and_other_pods_are_unaffected() {
    TestCluster cluster = STAGE.cluster();
    cluster.createNodes(NodeShape.withGpus("down", 8));
    cluster.create(gpuPod("before", 1));
    cluster.awaitRunning("before");

    STAGE.killMuster();
    cluster.create(gpuPod("with", 1));
    cluster.create(
        gpuPod("without", 0)
            .editSpec()
            .editFirstContainer()
            .withResources(null)
            .endContainer()
            .endSpec());

    cluster.awaitRunning("without", "before");
    await("kube-scheduler says why").atMost(TestCluster.WAIT).until(() -> saysExtender("with"));
    assertThat(cluster.nodeOf("with")).isEmpty();
    STAGE.startMuster();
    cluster.awaitRunning("with");
  }

  private static boolean saysExtender(String pod) {
    return STAGE.cluster().find(pod).stream()
        .flatMap(p -> p.getStatus().getConditions().stream())
        .anyMatch(c -> String.valueOf(c.getMessage()).contains("/scheduler/filter"));
  }
}
