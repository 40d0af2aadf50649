package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.deploy.ShippedFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The real helm renders the objects of the kustomization, and refuses wrong values. No cluster is
/// asked.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ChartRenderingE2E {
  private static final String NAMESPACE = "muster-system";

  private final HelmCommand helm;

  ChartRenderingE2E(@TempDir Path folder) {
    helm = HelmCommand.ready(folder.resolve("no-kubeconfig"), folder);
  }

  @Test
  void helm_finds_no_fault_in_the_chart() {
    assertThat(helm.run(List.of("lint", "--strict", HelmCommand.CHART)))
        .contains("0 chart(s) failed");
  }

  @ParameterizedTest
  @CsvSource({
    "'',manifests",
    "admissionPolicy=Always;recordsPolicy=true;monitoring.enabled=true,"
        + "manifests;manifests/admission-policy;manifests/records-policy;manifests/monitoring",
    "secondScheduler.enabled=true,scheduler/second-scheduler",
    "secondScheduler.enabled=true;secondScheduler.setSchedulerName=Always,"
        + "scheduler/second-scheduler;scheduler/second-scheduler/scheduler-name",
  })
  void chart_equals_the_kustomization(String values, String folders) {
    var arguments = template("certificates.source=Existing");
    arguments.addAll(HelmCommand.set(values.split(";", -1)));
    Map<String, JsonNode> chart = RenderedObjects.ofChart(helm.run(arguments));
    Map<String, JsonNode> kustomization =
        RenderedObjects.ofKustomizations(List.of(folders.split(";", -1)));
    assertThat(chart).containsOnlyKeys(kustomization.keySet());
    chart.forEach((key, object) -> assertThat(object).as(key).isEqualTo(kustomization.get(key)));
  }

  @Test
  void cert_manager_gets_the_shipped_issuers() {
    Map<String, JsonNode> chart = render("certificates.source=CertManager");
    for (JsonNode shipped : ShippedFiles.documents("manifests/webhook/cert-manager.yaml")) {
      assertThat(chart.values()).contains(shipped);
    }
    assertThat(object(chart, "MutatingWebhookConfiguration /muster").at("/metadata/annotations"))
        .isEqualTo(
            ShippedFiles.tree("manifests/webhook/cert-manager-injection.yaml")
                .at("/metadata/annotations"));
    assertThat(chart.keySet()).noneMatch(key -> key.startsWith("Secret"));
  }

  @Test
  void accelerators_reach_every_place_that_names_them() {
    Map<String, JsonNode> chart =
        render(
            "config.accelerators={nvidia.com/gpu,amd.com/gpu}",
            "admissionPolicy=Always",
            "secondScheduler.enabled=true",
            "secondScheduler.setSchedulerName=Always");
    String both = "['nvidia.com/gpu', 'amd.com/gpu'].exists(r";
    assertThat(
            List.of(
                "MutatingWebhookConfiguration /muster",
                "MutatingAdmissionPolicy /gate.pods.muster.dev",
                "MutatingAdmissionPolicy /assign-scheduler.pods.muster.dev"))
        .allSatisfy(key -> assertThat(object(chart, key).toString()).contains(both));
    assertThat(
            object(chart, "ConfigMap " + NAMESPACE + "/muster-scheduler-config")
                .at("/data/kube-scheduler-config.yaml/extenders/0/managedResources")
                .findValuesAsText("name"))
        .containsExactly("nvidia.com/gpu", "amd.com/gpu");
    assertThat(object(chart, "ValidatingAdmissionPolicy /placed-pods.muster.dev").toString())
        .contains("r in ['nvidia.com/gpu', 'amd.com/gpu']");
    assertThat(object(chart, "MutatingAdmissionPolicy /gate.pods.muster.dev").toString())
        .contains("object.spec.schedulerName in ['muster']");
  }

  @Test
  void everything_follows_the_namespace_and_openshift_chooses_the_user() {
    var arguments = template("secondScheduler.enabled=true");
    arguments.addAll(List.of("--namespace", "gangs", "--api-versions", "security.openshift.io/v1"));
    Map<String, JsonNode> chart = RenderedObjects.ofChart(helm.run(arguments));
    assertThat(chart.values()).noneMatch(object -> object.toString().contains(NAMESPACE));
    assertThat(List.of("muster", "muster-scheduler"))
        .allSatisfy(name ->
            assertThat(
                    object(chart, "Deployment gangs/" + name)
                        .at("/spec/template/spec/securityContext")
                        .fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("runAsNonRoot", "seccompProfile"));
  }

  @ParameterizedTest
  @CsvSource({
    "config.topologie.preset=gke,topologie",
    "config.server.port=1,/config/server/port",
    "policy.mode=Sometimes,/policy/mode",
    "networkPolicy.controlPlane={here},/networkPolicy/controlPlane/0",
    "imgae.tag=1,imgae",
    "admissionPolicy=maybe,/admissionPolicy",
    "monitoring.documentation=docs,/monitoring/documentation",
  })
  void wrong_values_are_refused_by_their_place(String value, String place) {
    HelmCommand.Answer answer = helm.attempt(template(value));
    assertThat(answer.status()).isNotZero();
    assertThat(answer.output()).contains(place);
  }

  @Test
  void addresses_of_the_control_plane_are_demanded() {
    HelmCommand.Answer answer = helm.attempt(template("networkPolicy.controlPlane=null"));
    assertThat(answer.status()).isNotZero();
    assertThat(answer.output()).contains("networkPolicy.controlPlane is empty");
  }

  @Test
  void network_policy_is_left_out_only_where_it_is_turned_off() {
    String off = "networkPolicy.enabled=false";
    assertThat(render(off, "networkPolicy.controlPlane=null").keySet())
        .noneMatch(key -> key.startsWith("NetworkPolicy"));
  }

  @Test
  void network_policy_stays_where_values_of_an_older_chart_are_reused() {
    assertThat(render("networkPolicy.enabled=null").keySet())
        .anyMatch(key -> key.startsWith("NetworkPolicy"));
  }

  @ParameterizedTest
  @CsvSource({
    "placedPodsPolicy=null,1.30.0,true",
    "placedPodsPolicy=true,1.29.9,false",
    "placedPodsPolicy=false,1.36.2,false",
  })
  void placed_pods_policy_is_there_where_it_is_served_and_not_turned_off(
      String value, String version, boolean there) {
    var arguments = template(value);
    arguments.addAll(List.of("--kube-version", version));
    assertThat(
            RenderedObjects.ofChart(helm.run(arguments)).keySet().stream()
                .filter(key -> key.startsWith("ValidatingAdmissionPolicy ")))
        .hasSize(there ? 2 : 0);
  }

  @ParameterizedTest
  @CsvSource({"default", "kube-system"})
  void shared_namespaces_are_refused(String namespace) {
    var arguments = template();
    arguments.addAll(List.of("--namespace", namespace));
    assertThat(helm.attempt(arguments).output()).contains("a namespace of its own");
  }

  @Test
  void nothing_adds_gates_when_gating_is_off() {
    String all = "secondScheduler.enabled=true,secondScheduler.setSchedulerName=Always";
    String chart = helm.run(template("config.gating.gate=false,admissionPolicy=Always", all));
    assertThat(chart).contains("hide-gpus.pods", "assign-scheduler.pods");
    assertThat(chart).doesNotContain("gate.pods.muster.dev", "[Object.spec.schedulingGates{");
  }

  @ParameterizedTest
  @CsvSource({
    "gate,gate.pods.muster.dev,switch.pods.muster.dev",
    "native,switch.pods.muster.dev,gate.pods.muster.dev",
  })
  void api_server_adds_what_holds_gangs_and_nothing_else(String hold, String adds, String not) {
    Map<String, JsonNode> chart = render("admissionPolicy=Always", "config.gangs.hold=" + hold);
    assertThat(chart)
        .containsKey("MutatingAdmissionPolicy /" + adds)
        .doesNotContainKey("MutatingAdmissionPolicy /" + not);
  }

  @Test
  void switch_policy_is_the_shipped_one() {
    Map<String, JsonNode> chart = render("admissionPolicy=Always", "config.gangs.hold=native");
    for (JsonNode shipped : ShippedFiles.documents("manifests/switch-policy/policy.yaml")) {
      assertThat(chart.values()).contains(shipped);
    }
  }

  @Test
  void api_server_adds_nothing_where_the_filter_alone_holds_gangs() {
    assertThat(render("admissionPolicy=Always", "config.gangs.hold=filter").keySet())
        .noneMatch(key -> key.startsWith("MutatingAdmissionPolicy"));
  }

  @Test
  void alerts_link_to_the_documentation_of_the_site() {
    String site = "https://git.example.com/muster/docs";
    Map<String, JsonNode> chart =
        render("monitoring.enabled=true", "monitoring.documentation=" + site + "/");
    List<String> links =
        object(chart, "PrometheusRule " + NAMESPACE + "/muster").findValuesAsText("runbook_url");
    assertThat(links).contains(site + "/alerts.md#musterisslow");
    assertThat(links).allMatch(link -> link.startsWith(site + "/alerts.md#muster"));
  }

  @Test
  void several_replicas_are_those_of_the_component() {
    Map<String, JsonNode> chart = render("replicas=2");

    JsonNode spec = ShippedFiles.tree("manifests/two-replicas/deployment.yaml").path("spec");
    JsonNode rendered =
        Objects.requireNonNull(chart.get("Deployment muster-system/muster")).path("spec");
    assertThat(rendered.path("replicas")).isEqualTo(spec.path("replicas"));
    assertThat(rendered.path("strategy")).isEqualTo(spec.path("strategy"));
    assertThat(chart.get("PodDisruptionBudget muster-system/muster"))
        .isEqualTo(ShippedFiles.tree("manifests/two-replicas/disruption-budget.yaml"));
  }

  private Map<String, JsonNode> render(String... values) {
    return RenderedObjects.ofChart(helm.run(template(values)));
  }

  private static List<String> template(String... values) {
    var arguments =
        new ArrayList<>(List.of("template", "muster", HelmCommand.CHART, "--include-crds"));
    arguments.addAll(List.of("--namespace", NAMESPACE, "--kube-version", "1.36.2"));
    arguments.addAll(HelmCommand.set(HelmCommand.CONTROL_PLANE));
    arguments.addAll(HelmCommand.set(values));
    return arguments;
  }

  private static JsonNode object(Map<String, JsonNode> objects, String key) {
    return Objects.requireNonNull(objects.get(key), key);
  }
}
