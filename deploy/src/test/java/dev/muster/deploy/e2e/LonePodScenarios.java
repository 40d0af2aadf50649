package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A pod without a gang starts when it fits and otherwise states the reason.
abstract class LonePodScenarios {
  private static final String NONE_FREE =
      "Needs 2 nvidia.com/gpu; free on matching nodes: 0 nvidia.com/gpu.";

  abstract TestStage stage();

  @Test
  void fifth_two_gpu_pod_starts_when_two_of_eight_gpus_come_free() {
    stage().cluster().createNodes(NodeShape.withGpus("lone-a", 4), NodeShape.withGpus("lone-b", 4));
    stage().admin().resource(fiveOfTwo()).create();
    awaitRunning(4);

    Pod fifth = waiting().getFirst();
    stage().gangs().awaitPodReason(fifth.getMetadata().getName(), "WaitingForCapacity", NONE_FREE);
    assertThat(running())
        .extracting(p -> p.getSpec().getNodeName())
        .containsOnly("lone-a", "lone-b");

    awaitOlderThanASecond(fifth);
    stage().cluster().delete(running().getFirst().getMetadata().getName());
    stage().cluster().awaitRunning(fifth.getMetadata().getName());

    awaitRunning(4);
    assertThat(running()).hasSize(4);
  }

  @Test
  void two_free_gpus_on_two_nodes_do_not_fit_a_pod_of_two() {
    stage().cluster().createNodes(NodeShape.withGpus("frag-a", 4), NodeShape.withGpus("frag-b", 4));
    stage().cluster().create(gpuPod("three-a", 3));
    stage().cluster().create(gpuPod("three-b", 3));
    stage().cluster().awaitRunning("three-a", "three-b");
    stage().cluster().create(gpuPod("two", 2));

    String why = stage().gangs().awaitPodReason("two", "Fragmented");

    assertThat(why)
        .isEqualTo(
            "2 GPUs are free on 2 nodes, but at most 1 on one node; needs 2 GPUs on one node.");
    stage().cluster().delete("three-a");
    stage().cluster().awaitRunning("two");
  }

  private static Deployment fiveOfTwo() {
    Map<String, String> labels = Map.of("app", "five");
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName("five")
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withReplicas(5)
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withSpec(gpuPod("template", 2).buildSpec())
        .endTemplate()
        .endSpec()
        .build();
  }

  private void awaitRunning(int count) {
    await(count + " of the Deployment run")
        .atMost(TestCluster.WAIT)
        .until(() -> running().size() == count);
  }

  private List<Pod> running() {
    return pods().stream().filter(p -> "Running".equals(p.getStatus().getPhase())).toList();
  }

  private List<Pod> waiting() {
    return pods().stream().filter(p -> "Pending".equals(p.getStatus().getPhase())).toList();
  }

  private List<Pod> pods() {
    return stage().admin().pods().inNamespace("default").withLabel("app", "five").list().getItems();
  }

  /// Waits until the pod is older than a second. Ages count in whole seconds, so the replacement
  /// that the Deployment creates at once would have an equal age.
  private static void awaitOlderThanASecond(Pod pod) {
    Instant created = Instant.parse(pod.getMetadata().getCreationTimestamp());
    await("a second passed").until(() -> Instant.now().isAfter(created.plusSeconds(1)));
  }
}
