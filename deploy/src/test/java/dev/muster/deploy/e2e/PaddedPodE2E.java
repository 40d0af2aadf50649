package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A pod cannot become so large that the webhook does not see it. The API server shows the status
/// that its creator wrote, in which each `<` takes six bytes.
class PaddedPodE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private static final EnvVar ALL =
      new EnvVarBuilder().withName("NVIDIA_VISIBLE_DEVICES").withValue("all").build();
  private static final int CALLERS = 8;

  /// Returns the pod as the API server would store it.
  private static Pod created(String name, int padding) {
    Pod pod =
        gpuPod(name, 0)
            .editSpec()
            .editFirstContainer()
            .withEnv(ALL)
            .endContainer()
            .endSpec()
            .withNewStatus()
            .withMessage("<".repeat(padding))
            .endStatus()
            .build();
    return STAGE.admin().resource(pod).dryRun().create();
  }

  private static String visible(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getEnv().getFirst().getValue();
  }

  @Test
  void pod_with_a_small_status_sees_no_gpus() {
    assertThat(visible(created("small", 10))).isEqualTo("none");
  }

  @Test
  void pod_with_a_review_over_the_limit_is_refused() {
    assertThatThrownBy(() -> created("padded", 2_850_000))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("server.maxBody of Muster");
  }

  /// Reviews just below the limit take the memory for large ones. Some are refused for the moment.
  @Test
  void small_pods_are_reviewed_beside_many_large_ones()
      throws ExecutionException, InterruptedException {
    try (var callers = Executors.newFixedThreadPool(CALLERS)) {
      List<Future<?>> flood = new ArrayList<>();
      for (int i = 0; i < 2 * CALLERS; i++) {
        String name = "large-" + i;
        flood.add(callers.submit(() -> createdOrRefused(name)));
      }
      for (int i = 0; i < 10; i++) {
        assertThat(visible(created("beside-" + i, 10))).isEqualTo("none");
      }
      for (Future<?> large : flood) {
        large.get();
      }
    }
  }

  private static void createdOrRefused(String name) {
    try {
      created(name, 2_700_000);
    } catch (KubernetesClientException refused) {
      assertThat(refused).hasMessageContaining("Muster has no memory for more reviews");
    }
  }
}
