package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A gang waits for two nodes of 4 GPUs while a pod runs on one of them.
class BackfillE2E {
  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped().with("backfill: {depth: 4, drainAfter: 20s}");

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @BeforeEach
  void createNodes() {
    cluster.createNodes(NodeShape.withGpus("n1", 4), NodeShape.withGpus("n2", 4));
  }

  @Test
  void short_pods_pass_a_planned_gang_and_long_ones_wait() {
    cluster.create(running("busy", 3, "1h"));
    cluster.awaitRunning("busy");
    gangs.create("big", 2, 4);
    gangs.awaitReason(
        "big",
        "WaitingForCapacity",
        "Needs 8 nvidia.com/gpu; free on matching nodes: 5 nvidia.com/gpu. Planned to start at ");

    cluster.create(running("short", 1, "1m"));
    cluster.awaitRunning("short");
    cluster.create(gpuPod("long", 1));
    assertThat(gangs.awaitPodReason("long", "WouldDelayOther")).contains("big");

    cluster.delete("busy");
    cluster.delete("short");
    gangs.awaitRunning("big", 2);
    assertThat(cluster.nodeOf("long")).isEmpty();
  }

  @Test
  void nodes_are_drained_for_a_gang_that_waited_too_long() {
    cluster.create(gpuPod("busy", 2));
    cluster.awaitRunning("busy");
    gangs.create("big", 2, 4);
    gangs.awaitReason(
        "big",
        "WaitingForCapacity",
        "Needs 8 nvidia.com/gpu; free on matching nodes: 6 nvidia.com/gpu. Capacity released on ");

    cluster.create(running("late", 1, "1s"));
    gangs.awaitPodReason("late", "WouldDelayOther");

    cluster.delete("busy");
    gangs.awaitRunning("big", 2);
  }

  @Test
  void capacity_of_a_failed_member_is_held_for_its_replacement() {
    gangs.create("train", 2, 4);
    gangs.awaitRunning("train", 2);
    String place = cluster.nodeOf("train-1").orElseThrow();
    cluster.delete("train-1");
    cluster.awaitGone("train-1");

    cluster.create(gpuPod("stranger", 4));
    gangs.awaitPodReason("stranger", "WouldDelayOther");
    gangs.createMember("train", 1, 4);

    gangs.awaitRunning("train", 2);
    assertThat(cluster.nodeOf("train-1")).contains(place);
  }

  private static PodBuilder running(String pod, int gpus, String time) {
    return gpuPod(pod, gpus)
        .editMetadata()
        .addToAnnotations("muster.dev/runtime", time)
        .endMetadata();
  }
}
