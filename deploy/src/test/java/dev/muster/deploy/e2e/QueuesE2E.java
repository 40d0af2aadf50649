package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Two nodes of 8 GPUs are shared by a queue with a maximum and one with a guarantee.
class QueuesE2E {
  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .with(
              "queues: [{name: capped, maximum: {gpus: 4}}, {name: owners, guaranteed: {gpus: 8}}, {name: guests}]");

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @BeforeEach
  void createNodes() {
    cluster.createNodes(NodeShape.withGpus("n1", 8), NodeShape.withGpus("n2", 8));
  }

  @Test
  void queue_never_uses_more_than_its_maximum() {
    cluster.create(of("capped", gpuPod("first", 4)));
    cluster.awaitRunning("first");
    cluster.create(of("capped", gpuPod("second", 1)));
    assertThat(gangs.awaitPodReason("second", "QuotaExhausted"))
        .isEqualTo("Needs 1 GPU; the queue capped uses 4 and may use 4 now.");

    cluster.delete("first");

    cluster.awaitRunning("second");
  }

  @Test
  void gang_beyond_the_maximum_of_its_queue_is_rejected_with_the_reason() {
    cluster.create(of("capped", gpuPod("greedy", 8)));

    gangs.awaitPodReason("greedy", "TooBigForQueue");
  }

  @Test
  void unknown_queue_is_refused() {
    cluster.create(of("elsewhere", gpuPod("lost", 1)));

    assertThat(gangs.awaitPodReason("lost", "UnknownQueue")).contains("capped, guests, owners");
  }

  @Test
  void guaranteed_capacity_is_lent_until_a_gang_of_its_queue_waits() {
    cluster.create(of("guests", gpuPod("a", 8)));
    cluster.create(of("guests", gpuPod("b", 8)));
    cluster.awaitRunning("a", "b"); // all lent
    cluster.create(of("owners", gpuPod("owner", 8)));
    gangs.awaitPodReason("owner", "WaitingForCapacity");
    cluster.create(of("guests", gpuPod("c", 4)));

    cluster.delete("a");

    cluster.awaitRunning("owner");
    assertThat(cluster.nodeOf("c")).isEmpty();
  }

  /// The PodGroup is created again with another queue. A queue without a limit would take the GPUs.
  @Test
  void running_gang_stays_in_its_queue_over_a_restart() {
    gangs.declareIn("capped", "moved", 2);
    gangs.createMember("moved", 0, 2);
    gangs.createMember("moved", 1, 2);
    gangs.awaitRunning("moved", 2);
    gangs.delete("moved");
    gangs.declareIn("guests", "moved", 2);
    await("records on the pods")
        .atMost(TestCluster.WAIT.plusSeconds(30))
        .until(() -> recorded("moved-0").equals("capped") && recorded("moved-1").equals("capped"));

    STAGE.killMuster();
    STAGE.startMuster();

    cluster.create(of("capped", gpuPod("third", 1)));
    assertThat(gangs.awaitPodReason("third", "QuotaExhausted"))
        .isEqualTo("Needs 1 GPU; the queue capped uses 4 and may use 4 now.");
  }

  private String recorded(String pod) {
    return cluster
        .find(pod)
        .orElseThrow()
        .getMetadata()
        .getAnnotations()
        .getOrDefault("muster.dev/charged-queue", "");
  }

  private static PodBuilder of(String queue, PodBuilder pod) {
    return pod.editMetadata().addToLabels("muster.dev/queue", queue).endMetadata();
  }
}
