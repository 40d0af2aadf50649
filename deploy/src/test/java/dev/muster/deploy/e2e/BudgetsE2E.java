package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// A queue uses up its budget: running gangs go on, and others wait, also after a restart, until
/// the budget is raised.
class BudgetsE2E {
  private static final Path STORE = store();

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped().with(configuration(1));

  @TempDir Path folder;

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

  private record Outcome(int code, String out, String err) {}

  private Outcome muster(String words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ShippedFiles.folder().resolve("target/muster/muster").toString());
    command.addAll(List.of(words.split(" ", -1)));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .put("KUBECONFIG", STAGE.plane().kubeconfig(ControlPlane.ADMIN_TOKEN).toString());
    Path err = folder.resolve("err");
    builder.redirectError(err.toFile());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Outcome(process.exitValue(), out, Files.readString(err));
  }

  /// `fit` and `submit` say of a further gang what the live server says of the second one.
  private void askAsTheServerAnswers(Path pod) throws Exception {
    Path token = Files.writeString(folder.resolve("token"), ControlPlane.ADMIN_TOKEN);
    String server = " --server %s --token-file %s".formatted(STAGE.muster(), token);
    String live = "budget of the queue small is spent: ";

    Outcome why = muster("why pod/second" + server);
    Outcome fit = muster("simulate fit " + pod + server);
    Outcome submit = muster("submit --gpus 8 --queue small --image i --name further" + server);

    assertThat(why.out()).contains(live);
    assertThat(fit.out()).startsWith("default/further waits.").contains("BudgetSpent: The " + live);
    assertThat(fit.err()).isEmpty();
    assertThat(submit.err())
        .startsWith("default/further waits.")
        .contains("BudgetSpent: The " + live);
    assertThat(submit.code()).isZero();
  }

  /// The control plane has no Service of Muster.
  private void askWithoutMuster(Path pod) throws Exception {
    Outcome fit = muster("simulate fit " + pod);

    assertThat(fit.out()).startsWith("default/further starts now");
    assertThat(fit.err())
        .startsWith("Budgets are not counted: There is no Service muster-system/muster.")
        .hasLineCount(1);
    assertThat(fit.code()).isZero();
  }

  /// The shipped configuration has no budget.
  private void askWithoutBudgets(Path pod) throws Exception {
    Path none = ShippedFiles.folder().resolve("manifests/server/muster.yaml");

    Outcome fit = muster("simulate fit %s --config %s".formatted(pod, none));

    assertThat(fit.out()).startsWith("default/further starts now");
    assertThat(fit.err()).isEmpty();
  }

  @Test
  void gangs_wait_for_a_spent_budget_until_it_is_raised() throws Exception {
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
    Path pod = folder.resolve("pod.yaml");
    Files.writeString(pod, new KubernetesSerialization().asYaml(of("small", "further", 8).build()));
    askAsTheServerAnswers(pod);
    askWithoutMuster(pod);
    askWithoutBudgets(pod);

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
