package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The gate put on by the API server's own admission policy, with Muster up and down.
@EnabledIf(
    value = "isServed",
    disabledReason = "MutatingAdmissionPolicy is served as v1 from Kubernetes 1.36 on")
class AdmissionPolicyE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped().withPolicy();

  private static final String GATE = "muster.dev/gang";

  static boolean isServed() {
    return GoBinary.CONTROL_PLANE.isFrom(36);
  }

  @Test
  void policy_gates_gpu_pods_without_muster() {
    STAGE.killMuster();
    assertThat(gates(gpuPod("gpu", 1))).containsExactly(GATE);
    assertThat(gates(TestGangs.member("gang", 0, 0))).containsExactly(GATE);
    assertThat(gates(gpuPod("gated", 1).editSpec().addNewSchedulingGate("other").endSpec()))
        .containsExactly("other", GATE);
    assertThat(gates(gpuPod("twice", 1).editSpec().addNewSchedulingGate(GATE).endSpec()))
        .containsExactly(GATE);
    assertThat(gates(gpuPod("no-gpu", 0))).isEmpty();
    assertThat(gates(gpuPod("other", 1).editSpec().withSchedulerName("other").endSpec())).isEmpty();
    assertThat(
            gates(TestGangs.member("bound", 0, 0).editSpec().withNodeName("somewhere").endSpec()))
        .isEmpty();
    STAGE.startMuster();
  }

  /// The admin creates this pod on trial after the installation (docs/install.md, step 6).
  @Test
  void check_of_the_install_page_shows_whether_the_webhook_was_asked() throws IOException {
    String page = Files.readString(ShippedFiles.folder().resolveSibling("docs/install.md"));
    String pod = page.substring(page.indexOf("{\"apiVersion\": \"v1\", \"kind\": \"Pod\""));
    Pod check = Serialization.unmarshal(pod.substring(0, pod.indexOf("EOF")), Pod.class);
    await("Muster is asked").atMost(TestCluster.WAIT).until(() -> !hidden(check).isEmpty());
    assertThat(hidden(check)).containsExactly("none");
    assertThat(gates(new PodBuilder(check).editMetadata().withNamespace("default").endMetadata()))
        .containsExactly(GATE);
    STAGE.killMuster();
    assertThat(hidden(check)).isEmpty();
    STAGE.startMuster();
  }

  private static List<String> hidden(Pod pod) {
    return STAGE
        .admin()
        .pods()
        .inNamespace("default")
        .resource(pod)
        .dryRun()
        .create()
        .getSpec()
        .getContainers()
        .getLast()
        .getEnv()
        .stream()
        .map(EnvVar::getValue)
        .toList();
  }

  private static List<String> gates(PodBuilder pod) {
    Pod created = STAGE.admin().pods().resource(pod.build()).dryRun().create();
    return created.getSpec().getSchedulingGates().stream().map(PodSchedulingGate::getName).toList();
  }

  @Nested
  class LonePods extends LonePodScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }
}
