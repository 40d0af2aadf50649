package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Gangs select GPU models on one node each of V100, P100 and P4.
class GpuModelsE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private static final String PRODUCT = "nvidia.com/gpu.product";

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @BeforeEach
  void createNodes() {
    cluster.createNodes(
        NodeShape.withGpus("v100", 4).withLabel(PRODUCT, "Tesla-V100-SXM2-32GB"),
        NodeShape.withGpus("p100", 4).withLabel(PRODUCT, "Tesla-P100-PCIE-16GB"),
        NodeShape.withGpus("p4", 4).withLabel(PRODUCT, "Tesla-P4"));
  }

  @Test
  void pods_without_model_preference_use_any_free_gpus() {
    for (int i = 0; i < 3; i++) {
      cluster.create(gpuPod("any-" + i, 4));
    }

    cluster.awaitRunning("any-0", "any-1", "any-2");
  }

  @Test
  void node_selector_selects_the_model() {
    for (String node : new String[] {"v100", "p100", "p4"}) {
      String product =
          STAGE.admin().nodes().withName(node).get().getMetadata().getLabels().get(PRODUCT);
      cluster.create(selected(gpuPod("on-" + node, 2), String.valueOf(product)));
    }

    cluster.awaitRunning("on-v100", "on-p100", "on-p4");

    assertThat(cluster.nodeOf("on-v100")).contains("v100");
    assertThat(cluster.nodeOf("on-p100")).contains("p100");
    assertThat(cluster.nodeOf("on-p4")).contains("p4");
  }

  @Test
  void model_annotation_waits_for_a_free_gpu_of_that_model() {
    cluster.create(selected(gpuPod("busy", 4), "Tesla-V100-SXM2-32GB"));
    cluster.awaitRunning("busy");
    cluster.create(models(gpuPod("picky", 4), "V100"));

    gangs.awaitPodReason("picky", "WaitingForCapacity");

    cluster.delete("busy");
    cluster.awaitRunning("picky");
    assertThat(cluster.nodeOf("picky")).contains("v100");
  }

  @Test
  void model_that_does_not_exist_matches_no_node() {
    cluster.create(models(gpuPod("dreamer", 1), "H100"));

    assertThat(gangs.awaitPodReason("dreamer", "NoMatchingNodes")).contains("3 WrongGpuModel");
  }

  @Test
  void gang_mixes_models_only_if_allowed() {
    gangs.declare("pure", 2);
    gangs.createMember("pure", 0, 4);
    gangs.createMember("pure", 1, 4);
    gangs.declare("mixed", 2, Map.of("muster.dev/mix-gpu-models", "true"));
    gangs.createMember("mixed", 0, 4);
    gangs.createMember("mixed", 1, 4);

    gangs.awaitRunning("mixed", 2);

    assertThat(gangs.bound("pure")).isZero();
  }

  private static PodBuilder selected(PodBuilder pod, String product) {
    return pod.editSpec().addToNodeSelector(PRODUCT, product).endSpec();
  }

  private static PodBuilder models(PodBuilder pod, String models) {
    return pod.editMetadata().addToAnnotations("muster.dev/gpu-models", models).endMetadata();
  }
}
