package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
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
    assertThat(gates(gpuPod("bound", 1).editSpec().withNodeName("somewhere").endSpec())).isEmpty();
    STAGE.startMuster();
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
