package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The manifests are complete and consistent, and request only the permissions that Muster needs.
class ManifestsTest {
  private static final String GPU = "nvidia.com/gpu";

  private final List<HasMetadata> objects = ShippedFiles.built("manifests");
  private final Service service = ShippedFiles.only(objects, Service.class, "muster");
  private final Deployment deployment = ShippedFiles.only(objects, Deployment.class, "muster");
  private final PodSpec pod = deployment.getSpec().getTemplate().getSpec();
  private final Container container = pod.getContainers().getFirst();
  private final JsonNode config = ShippedFiles.tree("manifests/server/muster.yaml");

  static Stream<String> yamlFiles() {
    return Stream.of("manifests", "scheduler", "examples")
        .flatMap(f -> ShippedFiles.yamlFiles(f).stream());
  }

  @ParameterizedTest
  @MethodSource("yamlFiles")
  void every_document_names_its_api_version_and_kind(String file) {
    assertThat(ShippedFiles.documents(file))
        .isNotEmpty()
        .allSatisfy(document -> {
          assertThat(document.path("apiVersion").asText()).isNotEmpty();
          assertThat(document.path("kind").asText()).isNotEmpty();
        });
  }

  @Test
  void applying_the_folder_creates_exactly_the_expected_objects() {
    assertThat(objects.stream().map(o -> o.getKind() + "/" + o.getMetadata().getName()))
        .containsExactlyInAnyOrder(
            "CustomResourceDefinition/podgroups.scheduling.x-k8s.io",
            "ClusterRole/muster-podgroup-editor",
            "ClusterRole/muster-podgroup-viewer",
            "Namespace/muster-system",
            "ResourceQuota/muster-critical-pods",
            "ServiceAccount/muster",
            "ClusterRole/muster",
            "ClusterRoleBinding/muster",
            "Role/muster-lease",
            "RoleBinding/muster-lease",
            "Deployment/muster",
            "Service/muster",
            "MutatingWebhookConfiguration/muster",
            "NetworkPolicy/muster",
            "ValidatingAdmissionPolicy/placed-pods.muster.dev",
            "ValidatingAdmissionPolicyBinding/placed-pods.muster.dev",
            "ValidatingAdmissionPolicy/gates.muster.dev",
            "ValidatingAdmissionPolicyBinding/gates.muster.dev",
            "ConfigMap/muster-config",
            "ConfigMap/muster-preemption");
  }

  @Test
  void page_names_each_folder_for_clusters_that_have_the_crd() {
    String page = ShippedFiles.text("../docs/install.md");
    String section = page.substring(page.indexOf("### If the CRD exists"));
    assertThat(ShippedFiles.tree("manifests/kustomization.yaml").path("resources"))
        .filteredOn(folder -> !folder.asText().equals("crd"))
        .allSatisfy(folder ->
            assertThat(section.substring(0, section.indexOf("###", 3)))
                .contains("`deploy/manifests/" + folder.asText() + "`"));
  }

  @Test
  void muster_has_exactly_the_expected_permissions() {
    var rights = new TreeSet<String>();
    for (PolicyRule rule : ShippedFiles.only(objects, ClusterRole.class, "muster").getRules()) {
      for (String resource : rule.getResources()) {
        for (String verb : rule.getVerbs()) {
          rights.add(resource + " " + verb);
        }
      }
    }
    assertThat(rights)
        .containsExactly(
            "deviceclasses list",
            "deviceclasses watch",
            "events create",
            "jaxjobs list",
            "jaxjobs watch",
            "jobs list",
            "jobs watch",
            "jobsets list",
            "jobsets watch",
            "leaderworkersets list",
            "leaderworkersets watch",
            "mpijobs list",
            "mpijobs watch",
            "namespaces list",
            "namespaces watch",
            "nodes list",
            "nodes watch",
            "paddlejobs list",
            "paddlejobs watch",
            "poddisruptionbudgets list",
            "podgroups create",
            "podgroups delete",
            "podgroups list",
            "podgroups patch",
            "podgroups watch",
            "podgroups/status patch",
            "pods list",
            "pods patch",
            "pods watch",
            "pods/eviction create",
            "pods/status patch",
            "priorityclasses list",
            "priorityclasses watch",
            "pytorchjobs list",
            "pytorchjobs watch",
            "rayclusters list",
            "rayclusters watch",
            "resourceclaims list",
            "resourceclaims watch",
            "resourceclaimtemplates list",
            "resourceclaimtemplates watch",
            "resourceslices list",
            "resourceslices watch",
            "subjectaccessreviews create",
            "tfjobs list",
            "tfjobs watch",
            "tokenreviews create",
            "xgboostjobs list",
            "xgboostjobs watch");
  }

  @Test
  void muster_may_write_only_its_own_lease() {
    List<PolicyRule> rules = ShippedFiles.only(objects, Role.class, "muster-lease").getRules();
    assertThat(rules)
        .extracting(PolicyRule::getResources, PolicyRule::getVerbs, PolicyRule::getResourceNames)
        .containsExactly(
            tuple(List.of("leases"), List.of("create"), List.of()),
            tuple(List.of("leases"), List.of("get", "patch"), List.of("muster")));
  }

  @Test
  void no_role_holds_a_wildcard_or_touches_secrets() {
    assertThat(objects.stream().filter(ClusterRole.class::isInstance).map(ClusterRole.class::cast))
        .flatMap(ClusterRole::getRules)
        .flatMap(r ->
            Stream.of(r.getApiGroups(), r.getResources(), r.getVerbs())
                .flatMap(List::stream)
                .toList())
        .doesNotContain("*", "secrets", "pods/exec", "bind", "escalate", "impersonate");
  }

  @Test
  void configured_ports_are_those_of_container_and_service() {
    JsonNode server = config.path("server");
    assertThat(container.getPorts())
        .extracting(p -> p.getName() + " " + p.getContainerPort())
        .containsExactly(
            "http " + server.path("port").asInt(),
            "https " + server.path("tls").path("port").asInt(),
            "probes " + server.path("probePort").asInt());
    assertThat(service.getSpec().getPorts())
        .extracting(p -> p.getPort() + " " + p.getTargetPort().getValue())
        .containsExactly("8888 http", "8889 probes", "443 https");
    // Muster itself sets the last label on the pod that leads.
    Map<String, String> selector = new TreeMap<>(service.getSpec().getSelector());
    assertThat(selector.remove(WellKnownNames.LEADING)).isEqualTo("true");
    assertThat(selector).isEqualTo(deployment.getSpec().getSelector().getMatchLabels());
    assertThat(deployment.getSpec().getTemplate().getMetadata().getLabels())
        .containsAllEntriesOf(selector);
  }

  @Test
  void configured_paths_are_mounted() {
    assertThat(mountedFrom("config")).isEqualTo("muster-config");
    assertThat(container.getArgs())
        .containsExactly("serve", "--config", mount("config") + "/muster.yaml");
    assertThat(mountedFrom("preemption")).isEqualTo("muster-preemption");
    assertThat(config.path("preemption").path("policy").asText()).isEqualTo(mount("preemption"));
    JsonNode tls = config.path("server").path("tls");
    assertThat(tls.path("certFile").asText()).isEqualTo(mount("tls") + "/tls.crt");
    assertThat(tls.path("keyFile").asText()).isEqualTo(mount("tls") + "/tls.key");
    assertThat(ShippedFiles.text("webhook-cert.sh")).contains("secret=" + mountedFrom("tls") + " ");
    assertThat(ShippedFiles.text("manifests/server/muster.yaml"))
        .contains("# clientAuthority: " + mount("tls") + "/ca.crt");
    assertThat(ShippedFiles.text("image/Dockerfile"))
        .contains("\"" + String.join("\", \"", container.getArgs()) + "\"");
    assertThat(ShippedFiles.text("image/build.sh"))
        .contains("\"Cmd\":[\"" + String.join("\",\"", container.getArgs()) + "\"]")
        .contains("\"User\":\"" + pod.getSecurityContext().getRunAsUser() + ":");
  }

  @Test
  void base_of_the_image_is_always_named_by_its_builder() {
    assertThat(ShippedFiles.text("image/Dockerfile")).contains("\nARG BASE\nFROM ${BASE}\n");
  }

  private String mount(String volume) {
    return container.getVolumeMounts().stream()
        .filter(m -> m.getName().equals(volume))
        .findFirst()
        .orElseThrow()
        .getMountPath();
  }

  private String mountedFrom(String name) {
    var volume =
        pod.getVolumes().stream().filter(v -> v.getName().equals(name)).findFirst().orElseThrow();
    return volume.getSecret() != null
        ? volume.getSecret().getSecretName()
        : volume.getConfigMap().getName();
  }

  @Test
  void probes_ask_the_server_itself() {
    assertThat(
            Stream.of(
                container.getStartupProbe(),
                container.getLivenessProbe(),
                container.getReadinessProbe()))
        .extracting(p -> p.getHttpGet().getPath() + " " + p.getHttpGet().getPort().getValue())
        .containsExactly("/healthz probes", "/healthz probes", "/available probes");
  }

  @Test
  void at_most_one_muster_runs() {
    assertThat(deployment.getSpec().getReplicas()).isEqualTo(1);
    assertThat(deployment.getSpec().getStrategy().getType()).isEqualTo("Recreate");
  }

  @Test
  void pod_meets_the_restricted_pod_security_standard() {
    assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
    assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    assertThat(container.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
    assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
  }

  @Test
  void muster_pod_is_not_gated_by_its_own_webhook() {
    assertThat(container.getResources().getLimits()).doesNotContainKey(GPU);
    assertThat(pod.getSchedulerName()).isNull();
    assertThat(webhooks())
        .allSatisfy(webhook ->
            assertThat(webhook.getNamespaceSelector().getMatchExpressions())
                .anySatisfy(e -> {
                  assertThat(e.getKey()).isEqualTo("kubernetes.io/metadata.name");
                  assertThat(e.getOperator()).isEqualTo("NotIn");
                  assertThat(e.getValues())
                      .contains("kube-system", service.getMetadata().getNamespace());
                }));
  }

  @Test
  void webhooks_reach_the_service_and_are_harmless_when_it_is_down() {
    assertThat(webhooks())
        .hasSize(2)
        .allSatisfy(webhook -> {
          var target = webhook.getClientConfig().getService();
          assertThat(target.getName()).isEqualTo(service.getMetadata().getName());
          assertThat(target.getNamespace()).isEqualTo(service.getMetadata().getNamespace());
          assertThat(target.getPath())
              .isEqualTo("/webhook/" + webhook.getName().replace(".pods.muster.dev", "") + "/pods");
          assertThat(service.getSpec().getPorts())
              .anyMatch(p -> p.getPort().equals(target.getPort()));
          assertThat(webhook.getFailurePolicy()).isEqualTo("Ignore");
          assertThat(webhook.getTimeoutSeconds()).isLessThanOrEqualTo(5);
          assertThat(webhook.getSideEffects()).isEqualTo("None");
          assertThat(webhook.getReinvocationPolicy()).isEqualTo("IfNeeded");
          assertThat(webhook.getRules())
              .filteredOn(rule -> !rule.getResources().equals(List.of("pods/ephemeralcontainers")))
              .singleElement()
              .extracting(r -> r.getOperations())
              .isEqualTo(List.of("CREATE"));
          assertThat(webhook.getMatchConditions()).isNotEmpty();
        });
  }

  private List<MutatingWebhook> webhooks() {
    return ShippedFiles.only(objects, MutatingWebhookConfiguration.class, "muster").getWebhooks();
  }

  @Test
  void shipped_policy_is_the_default_one_in_shadow_mode() {
    ObjectNode shipped = (ObjectNode) ShippedFiles.tree("manifests/server/preemption.yaml");
    assertThat(shipped.path("mode").asText()).isEqualTo("Shadow");
    assertThat(shipped.put("mode", "Enforce"))
        .isEqualTo(ShippedFiles.tree("config/preemption-policy.yaml"));
  }

  @Test
  void every_manifest_is_part_of_a_kustomization() {
    var reached = new TreeSet<String>();
    for (String file : ShippedFiles.yamlFiles("manifests")) {
      if (file.endsWith("/kustomization.yaml")) {
        String folder = file.substring(0, file.lastIndexOf('/'));
        String text = ShippedFiles.text(file);
        ShippedFiles.yamlFiles(folder).stream()
            .filter(f -> text.contains(f.substring(folder.length() + 1)))
            .forEach(reached::add);
        reached.add(file);
      }
    }
    assertThat(reached).containsExactlyElementsOf(ShippedFiles.yamlFiles("manifests"));
  }
}
