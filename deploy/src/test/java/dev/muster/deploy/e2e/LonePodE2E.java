package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Lone pods run with the shipped configuration.
class LonePodE2E extends LonePodScenarios {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private static final int AMPLE = 9; // nodes: room for 72 pods of one GPU

  @Override
  TestStage stage() {
    return STAGE;
  }

  @Test
  void with_ample_capacity_pods_start_ungated_on_the_filtered_node() {
    TestCluster cluster = STAGE.cluster();
    cluster.createNodes(
        IntStream.range(0, AMPLE)
            .mapToObj(i -> NodeShape.withGpus("ample-" + i, 8))
            .toArray(NodeShape[]::new));
    cluster.create(gpuPod("first", 1)); // Gated until kube-scheduler is known to ask Muster.
    cluster.awaitRunning("first");
    await("room seen").atMost(TestCluster.WAIT).until(() -> !isGated(dryRun(1)));
    assertThat(isGated(dryRun(8))).as("there is room for few pods of 8 only").isTrue();

    String[] pods = IntStream.range(0, 7).mapToObj(i -> "quick-" + i).toArray(String[]::new);
    for (String pod : pods) {
      cluster.create(gpuPod(pod, 1));
    }

    cluster.awaitRunning(pods);
    assertThat(pods)
        .as("Muster keeps whole nodes whole; kube-scheduler alone would spread the pods")
        .extracting(pod -> cluster.nodeOf(pod).orElseThrow())
        .containsOnly(cluster.nodeOf("first").orElseThrow());
  }

  private static Pod dryRun(int gpus) {
    return STAGE.admin().pods().resource(gpuPod("probe", gpus).build()).dryRun().create();
  }

  private static boolean isGated(Pod pod) {
    return !pod.getSpec().getSchedulingGates().isEmpty();
  }
}
