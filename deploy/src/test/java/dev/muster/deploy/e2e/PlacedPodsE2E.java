package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Pods that name their node request GPUs only where an admin allows it: not even an admin may
/// create others. The owner of a pod does not remove its gate.
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
  void pod_of_a_critical_class_is_refused_with_the_remedy() {
    PodBuilder pod =
        placed(0).editSpec().withPriorityClassName("system-cluster-critical").endSpec();
    assertThat(answer("visible", pod))
        .contains("has priority 2000000000, for which the kubelet kills other pods")
        .contains("kubectl label namespace visible muster.dev/placed-pods=allowed");
    assertThat(answer("operator", pod)).isEqualTo("created");
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
  void gate_of_a_pod_is_removed_by_admins_and_not_by_its_owner() {
    var meta = new ObjectMetaBuilder().withNamespace("default").withName("owner").build();
    STAGE.admin().resource(new ServiceAccountBuilder().withMetadata(meta).build()).create();
    STAGE
        .admin()
        .resource(
            new RoleBindingBuilder()
                .withMetadata(meta)
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", "owner", "default")
                .build())
        .create();
    var member =
        TestCluster.gpuPod("gated", 1)
            .editMetadata()
            .addToLabels(WellKnownNames.POD_GROUP, "absent")
            .endMetadata();
    STAGE.admin().resource(member.build()).create();
    var owner = STAGE.plane().client(STAGE.plane().serviceAccountToken("default", "owner"));

    await("the policy in force")
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(patched(owner, "{\"spec\": {\"schedulingGates\": null}}"))
                .contains("Muster removes the scheduling gate muster.dev/gang"));
    assertThat(patched(owner, "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}")).isEqualTo("patched");
    assertThat(patched(STAGE.admin(), "{\"spec\": {\"schedulingGates\": null}}"))
        .isEqualTo("patched");
  }

  /// Returns `patched`, or why the API server refuses the patch of the gated pod.
  private static String patched(KubernetesClient user, String patch) {
    try {
      user.pods()
          .inNamespace("default")
          .withName("gated")
          .dryRun(true)
          .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
      return "patched";
    } catch (KubernetesClientException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void pods_without_gpus_or_without_a_node_are_created() {
    assertThat(answer("default", placed(0))).isEqualTo("created");
    assertThat(answer("default", TestCluster.gpuPod("free", 1))).isEqualTo("created");
  }
}
