package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A queue uses up its budget: running gangs go on, and others wait, also after a restart, until
/// the budget is raised.
class BudgetsE2E {
  private static final Path STORE = store();

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped().with(configuration(1));

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  private static Path store() {
    try {
      return Files.createTempDirectory("muster-budgets-").resolve("usage.mv");
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /// A budget for the year, so that no period ends during the test.
  private static String configuration(int gpuHours) {
    return """
    queues: [{name: small}, {name: other}]
    budgets: [{queue: small, gpuHours: %d, period: Year, onExceeded: Hold}]
    usage: {store: "%s"}
    """
        .formatted(gpuHours, STORE);
  }

  private static PodBuilder of(String queue, String name, int gpus) {
    return gpuPod(name, gpus).editMetadata().addToLabels("muster.dev/queue", queue).endMetadata();
  }

  private static JsonNode budget() {
    try {
      return new ObjectMapper().readTree(STAGE.page("/api/v1/budgets")).at("/items/0");
    } catch (IOException malformed) {
      throw new IllegalStateException(malformed);
    }
  }

  private void restart(int gpuHours) {
    STAGE.killMuster();
    STAGE.files().writeConfiguration(configuration(gpuHours));
    STAGE.startMuster();
  }

  @Test
  void gangs_wait_for_a_spent_budget_until_it_is_raised() {
    cluster.createNodes(NodeShape.withGpus("large", 1000));
    cluster.create(of("small", "first", 720)); // uses 1 GPU-hour in 5 s
    cluster.awaitRunning("first");
    await("the budget is spent")
        .atMost(TestCluster.WAIT)
        .until(() -> budget().path("spent").asBoolean());
    assertThat(budget().path("usedMilliGpuHours").asLong()).isGreaterThanOrEqualTo(1_000);
    assertThat(budget().path("gpus").asInt()).isEqualTo(720);
    assertThat(STAGE.page("/metrics"))
        .contains(
            "muster_budget_gpu_hours{kind=\"queue\",name=\"small\",on_exceeded=\"Hold\",period=\"Year\"} 1.0");

    cluster.create(of("small", "second", 8));
    assertThat(gangs.awaitPodReason("second", "BudgetSpent"))
        .startsWith("The budget of the queue small is spent: ")
        .contains(" of 1 GPU-hours are used. Its next period begins at ");
    cluster.create(of("other", "third", 8));
    cluster.awaitRunning("third");
    assertThat(cluster.nodeOf("first")).isNotEmpty();

    restart(1);
    cluster.create(of("small", "fourth", 8));
    gangs.awaitPodReason("fourth", "BudgetSpent");
    await("neither starts, though there is room")
        .during(Duration.ofSeconds(3))
        .atMost(Duration.ofSeconds(6))
        .until(() -> cluster.nodeOf("second").isEmpty() && cluster.nodeOf("fourth").isEmpty());

    restart(1_000_000);
    cluster.awaitRunning("first", "second", "fourth");
    assertThat(budget().path("spent").asBoolean()).isFalse();
  }
}
