package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Pods that name their node request GPUs only where an admin allows it: not even an admin may
/// create others.
class PlacedPodsE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private static final String HIDE = "muster.dev/hide-gpus";
  private static final String ALLOWED = "muster.dev/placed-pods";

  @BeforeAll
  static void namespaces() {
    namespace("visible", Map.of(HIDE, "disabled"));
    namespace("operator", Map.of(HIDE, "disabled", ALLOWED, "allowed"));
    namespace("half", Map.of(ALLOWED, "allowed"));
    await("the policy in force")
        .atMost(Duration.ofSeconds(30))
        .until(() -> !answer("visible", placed(1)).equals("created"));
  }

  private static void namespace(String name, Map<String, String> labels) {
    var namespace =
        new NamespaceBuilder().withNewMetadata().withName(name).withLabels(labels).endMetadata();
    STAGE.admin().resource(namespace.build()).create();
  }

  private static PodBuilder placed(int gpus) {
    return TestCluster.gpuPod("placed", gpus).editSpec().withNodeName("somewhere").endSpec();
  }

  /// Returns `created`, or why the API server refuses the pod.
  private static String answer(String namespace, PodBuilder pod) {
    var created = pod.editMetadata().withNamespace(namespace).endMetadata().build();
    try {
      STAGE.admin().pods().inNamespace(namespace).resource(created).dryRun(true).create();
      return "created";
    } catch (KubernetesClientException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void pod_with_gpus_is_refused_with_the_remedy() {
    assertThat(answer("visible", placed(1)))
        .contains("requests GPUs or claims (container main)")
        .contains(
            "kubectl label namespace visible muster.dev/placed-pods=allowed muster.dev/hide-gpus=disabled");
  }

  @Test
  void pod_with_a_claim_is_refused() {
    PodBuilder pod =
        placed(0)
            .editSpec()
            .addNewResourceClaim()
            .withName("gpus")
            .withResourceClaimName("any")
            .endResourceClaim()
            .endSpec();
    assertThat(answer("visible", pod)).contains("requests GPUs or claims (claim gpus)");
  }

  @Test
  void pod_with_gpus_is_allowed_where_an_admin_labels_the_namespace() {
    assertThat(answer("operator", placed(1))).isEqualTo("created");
  }

  @Test
  void webhook_refuses_it_where_gpus_are_hidden() {
    assertThat(answer("half", placed(1))).contains("Container main requests GPUs");
  }

  @Test
  void pods_without_gpus_or_without_a_node_are_created() {
    assertThat(answer("default", placed(0))).isEqualTo("created");
    assertThat(answer("default", TestCluster.gpuPod("free", 1))).isEqualTo("created");
  }
}
