package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The configuration of the schedulers agrees with the installed manifests.
class SchedulerFilesTest {
  private static final String DEFAULT = "scheduler/kube-scheduler-config.yaml";
  private static final String SECOND = "scheduler/second-scheduler/kube-scheduler-config.yaml";

  private final List<HasMetadata> second = ShippedFiles.built("scheduler/second-scheduler");
  private final Service service = ShippedFiles.only(second, Service.class, "muster");

  private static JsonNode extender(String file) {
    return ShippedFiles.tree(file).path("extenders").path(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {DEFAULT, SECOND})
  void scheduler_gets_the_whole_extender_contract(String file) {
    JsonNode configuration = ShippedFiles.tree(file);
    assertThat(configuration.path("apiVersion").asText())
        .isEqualTo("kubescheduler.config.k8s.io/v1");
    assertThat(configuration.path("percentageOfNodesToScore").asInt()).isEqualTo(100);
    assertThat(configuration.path("podMaxBackoffSeconds").asInt()).isEqualTo(1);
    JsonNode extender = extender(file);
    assertThat(extender.path("filterVerb").asText()).isEqualTo("filter");
    assertThat(extender.path("prioritizeVerb").asText()).isEqualTo("prioritize");
    assertThat(extender.path("preemptVerb").asText()).isEqualTo("preempt");
    assertThat(extender.has("bindVerb")).isFalse();
    assertThat(extender.path("weight").asInt()).isPositive();
    assertThat(extender.path("httpTimeout").asText()).isEqualTo("5s");
    assertThat(extender.path("nodeCacheCapable").asBoolean()).isTrue();
    assertThat(extender.path("ignorable").asBoolean(true)).isFalse();
    JsonNode resource = extender.path("managedResources").path(0);
    assertThat(resource.path("name").asText()).isEqualTo("nvidia.com/gpu");
    assertThat(resource.path("ignoredByScheduler").asBoolean(true)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {DEFAULT, SECOND, "scheduler/policy.json"})
  void pods_without_gpu_reach_muster_only_for_preemption(String file) {
    JsonNode every = ShippedFiles.tree(file).path("extenders").path(1);
    assertThat(every.path("urlPrefix")).isEqualTo(extender(file).path("urlPrefix"));
    assertThat(every.path("preemptVerb").asText()).isEqualTo("preempt");
    assertThat(every.path("ignorable").asBoolean()).isTrue();
    assertThat(List.of("filterVerb", "prioritizeVerb", "managedResources")).noneMatch(every::has);
  }

  @ParameterizedTest
  @ValueSource(strings = {DEFAULT, SECOND, "scheduler/policy.json"})
  void address_is_a_port_of_the_service(String file) {
    URI address = URI.create(extender(file).path("urlPrefix").asText());
    assertThat(address.getPath()).isEqualTo("/scheduler");
    String target = address.getScheme();
    assertThat(service.getSpec().getPorts())
        .anyMatch(
            p -> p.getPort() == address.getPort() && target.equals(p.getTargetPort().getStrVal()));
  }

  @Test
  void tls_is_never_used_without_a_certificate_authority() {
    assertThat(List.of(DEFAULT, SECOND, "scheduler/policy.json"))
        .extracting(SchedulerFilesTest::extender)
        .allSatisfy(e -> {
          boolean secure = e.path("enableHTTPS").asBoolean() || e.path("enableHttps").asBoolean();
          boolean authority =
              e.path("tlsConfig").has("caFile") || e.path("tlsConfig").has("caData");
          assertThat(secure)
              .isEqualTo(authority)
              .isEqualTo(e.path("urlPrefix").asText().startsWith("https:"));
        });
  }

  @Test
  void legacy_policy_is_equivalent() {
    JsonNode policy = ShippedFiles.tree("scheduler/policy.json");
    assertThat(policy.path("kind").asText()).isEqualTo("Policy");
    assertThat(policy.path("apiVersion").asText()).isEqualTo("v1");
    JsonNode legacy = policy.path("extenders").path(0);
    JsonNode current = extender(DEFAULT);
    assertThat(legacy.path("httpTimeout").isIntegralNumber()).isTrue();
    assertThat(Duration.ofNanos(legacy.path("httpTimeout").asLong()))
        .isEqualTo(Duration.parse("PT" + current.path("httpTimeout").asText()));
    assertThat(legacy.path("enableHttps")).isEqualTo(current.path("enableHTTPS"));
    var same = new ArrayList<String>();
    current.fieldNames().forEachRemaining(same::add);
    same.removeAll(List.of("httpTimeout", "enableHTTPS"));
    assertThat(same).allSatisfy(name -> assertThat(legacy.get(name)).isEqualTo(current.get(name)));
    assertThat(legacy.size()).isEqualTo(same.size() + 2);
  }

  @Test
  void second_scheduler_serves_the_pods_that_muster_manages() {
    JsonNode muster = ShippedFiles.tree("scheduler/second-scheduler/muster.yaml");
    JsonNode profiles = ShippedFiles.tree(SECOND).path("profiles");
    assertThat(muster.path("schedulerNames")).hasSize(1);
    assertThat(profiles).hasSize(1);
    assertThat(profiles.path(0).path("schedulerName"))
        .isEqualTo(muster.path("schedulerNames").path(0));
    assertThat(muster.path("server"))
        .isEqualTo(ShippedFiles.tree("manifests/server/muster.yaml").path("server"));
    assertThat(
            ShippedFiles.tree("manifests/server/muster.yaml")
                .path("schedulerNames")
                .path(0)
                .asText())
        .isEqualTo("default-scheduler");
  }

  @Test
  void policy_gives_the_second_scheduler_the_pods_of_the_webhook() {
    String policy = pods("scheduler/second-scheduler/scheduler-name/policy.yaml", "/spec");
    assertThat(
            policy.replace(" && quantity(c.resources.limits[r]).isGreaterThan(quantity('0'))", ""))
        .isNotEqualTo(policy)
        .isEqualTo(pods("manifests/webhook/webhook.yaml", "/webhooks/0"));
  }

  @Test
  void policy_gates_the_pods_of_the_webhook_except_those_with_claims() {
    String policy =
        pods("manifests/admission-policy/policy.yaml", "/spec")
            .replace(" && quantity(c.resources.limits[r]).isGreaterThan(quantity('0'))", "");
    String webhook = pods("manifests/webhook/webhook.yaml", "/webhooks/0");
    assertThat(webhook).startsWith(policy + " || has(object.spec.resourceClaims) || ");
    assertThat(webhook.substring(policy.length()))
        .doesNotContain("nvidia.com")
        .contains("deviceclass.resource.kubernetes.io/");
  }

  /// The condition that selects GPU pods and members of gangs, on one line.
  private static String pods(String file, String conditions) {
    return ShippedFiles.documents(file)
        .getFirst()
        .at(conditions + "/matchConditions")
        .valueStream()
        .filter(condition -> condition.path("name").asText().equals("accelerator-or-gang"))
        .map(condition -> condition.path("expression").asText().replaceAll("\\s+", " "))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void second_scheduler_has_its_own_lease() {
    JsonNode election = ShippedFiles.tree(SECOND).path("leaderElection");
    Role role = ShippedFiles.only(second, Role.class, "muster-scheduler-lease");
    assertThat(role.getMetadata().getNamespace())
        .isEqualTo(election.path("resourceNamespace").asText());
    assertThat(role.getRules().getLast().getResourceNames())
        .containsExactly(election.path("resourceName").asText());
    assertThat(election.path("resourceName").asText()).isNotEqualTo("kube-scheduler");
  }

  @Test
  void second_scheduler_finds_its_files_and_is_placed_by_the_first() {
    var pod =
        ShippedFiles.only(second, Deployment.class, "muster-scheduler")
            .getSpec()
            .getTemplate()
            .getSpec();
    var container = pod.getContainers().getFirst();
    assertThat(pod.getSchedulerName()).isEqualTo("default-scheduler");
    assertThat(container.getCommand())
        .contains("--config=/etc/muster/scheduler/kube-scheduler-config.yaml");
    assertThat(container.getVolumeMounts())
        .extracting(m -> m.getName() + " " + m.getMountPath())
        .containsExactly("config /etc/muster/scheduler", "tls /etc/muster/tls");
    assertThat(pod.getVolumes().getFirst().getConfigMap().getName())
        .isEqualTo("muster-scheduler-config");
    assertThat(extender(SECOND).path("tlsConfig"))
        .extracting(JsonNode::asText)
        .containsExactly(
            "/etc/muster/tls/ca.crt", "/etc/muster/tls/tls.crt", "/etc/muster/tls/tls.key");
    String secret = pod.getVolumes().getLast().getSecret().getSecretName();
    assertThat(ShippedFiles.text("webhook-cert.sh"))
        .contains("client=" + secret + " ", "--from-file=ca.crt=");
    assertThat(ShippedFiles.text("manifests/webhook/cert-manager.yaml"))
        .contains("secretName: " + secret);
  }

  @Test
  void scheduler_and_api_server_show_one_certificate() {
    JsonNode shown = extender(DEFAULT).path("tlsConfig");
    JsonNode user = ShippedFiles.tree("scheduler/admission-kubeconfig.yaml").path("users").path(0);
    assertThat(user.path("name")).isEqualTo(shown.path("serverName"));
    assertThat(user.path("user").path("client-certificate")).isEqualTo(shown.path("certFile"));
    assertThat(user.path("user").path("client-key")).isEqualTo(shown.path("keyFile"));
    assertThat(
            ShippedFiles.tree("scheduler/admission-configuration.yaml")
                .at("/plugins/0/configuration/kubeConfigFile")
                .asText())
        .endsWith("/admission-kubeconfig.yaml");
  }
}
