package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// kube-scheduler preempts victims for unmanaged pods only as the policy allows.
abstract class OwnPreemptionScenarios {
  abstract TestStage stage();

  @BeforeEach
  void createPriority() {
    new TestPriorities(stage().admin()).create(100);
  }

  @Test
  void kube_scheduler_preempts_only_gangs_that_the_policy_allows() {
    TestCluster cluster = stage().cluster();
    TestGangs gangs = stage().gangs();
    cluster.createNodes(
        NodeShape.withGpus("own-a", 1),
        NodeShape.withGpus("own-b", 2),
        NodeShape.withGpus("own-c", 2),
        NodeShape.withGpus("own-d", 1));
    gangs.declare("team", 2);
    cluster.create(big(TestGangs.member("team", 0, 2)));
    cluster.create(big(TestGangs.member("team", 1, 2)));
    gangs.awaitRunning("team", 2);
    cluster.create(big(gpuPod("kept", 1)).editMetadata().addToLabels("keep", "yes").endMetadata());
    cluster.create(big(gpuPod("lone", 1)));
    cluster.awaitRunning("kept", "lone");
    String room = cluster.nodeOf("lone").orElseThrow();

    cluster.create(TestPriorities.of(web("web"), 100));

    cluster.awaitRunning("web");
    assertThat(cluster.nodeOf("web")).contains(room);
    assertThat(cluster.find("lone")).isEmpty();
    cluster.awaitRunning("kept");
    assertThat(gangs.inPhase("team", "Running")).isEqualTo(2);

    cluster.create(TestPriorities.of(web("web-2"), 100));
    cluster.awaitUnschedulable("web-2");
    await("everybody else stays")
        .during(Duration.ofSeconds(5))
        .atMost(Duration.ofSeconds(10))
        .until(() -> cluster.find("kept").isPresent() && gangs.inPhase("team", "Running") == 2);
  }

  /// More than half of a node's CPU.
  static PodBuilder big(PodBuilder pod) {
    return pod.editSpec()
        .editFirstContainer()
        .editResources()
        .addToRequests("cpu", Quantity.parse("60"))
        .addToLimits("cpu", Quantity.parse("60"))
        .endResources()
        .endContainer()
        .endSpec();
  }

  static PodBuilder web(String name) {
    return big(gpuPod(name, 0))
        .editSpec()
        .editFirstContainer()
        .editResources()
        .removeFromRequests(NodeShape.GPU)
        .removeFromLimits(NodeShape.GPU)
        .endResources()
        .endContainer()
        .endSpec();
  }
}
