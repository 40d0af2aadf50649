package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// A real API server and kube-scheduler accept the files of `deploy/`, without a running Muster.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManifestsE2E {
  private final Path folder;
  private final Installation files;
  private final ControlPlane plane;
  private final KubernetesClient admin;
  private final TestCluster cluster;

  ManifestsE2E(@TempDir Path folder) {
    this.folder = folder;
    files = new Installation(folder, 1, 2); // Ports where nobody listens.
    files.makeCertificates();
    plane =
        ControlPlane.start(
            TestSetup.of(ManifestsE2E.class).withScheduler(files.schedulerConfiguration()));
    admin = plane.admin();
    cluster = new TestCluster(admin);
  }

  @BeforeAll
  void install() {
    files.apply(admin, TestStage.Gating.NOBODY);
    cluster.createNodes(NodeShape.withGpus("n0", 8));
  }

  @AfterAll
  void close() {
    plane.close();
  }

  static List<Named<HasMetadata>> everything() {
    return ShippedFiles.edited("scheduler/second-scheduler").stream()
        .map(o -> Named.of(o.getKind() + " " + o.getMetadata().getName(), o))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("everything")
  void api_server_knows_every_field(HasMetadata object) {
    var request = admin.resource(object).dryRun(true).fieldValidation(Validation.STRICT);
    assertThat(request.forceConflicts().serverSideApply()).isNotNull();
  }

  /// Applied as it is shipped, it would shut kube-scheduler out in place of the policy of the
  /// admin.
  @Test
  void api_server_rejects_the_network_policy_before_it_is_edited() {
    var request =
        admin
            .resource(
                ShippedFiles.only(ShippedFiles.built("manifests"), NetworkPolicy.class, "muster"))
            .dryRun(true);
    assertThatThrownBy(request::create).hasMessageContaining("CONTROL-PLANE");
  }

  @Test
  void api_server_rejects_unknown_fields() {
    var misspelt = new NamespaceBuilder().withNewMetadata().withName("x").endMetadata().build();
    misspelt.setAdditionalProperty("specc", Map.of());
    var request = admin.resource(misspelt).dryRun(true).fieldValidation(Validation.STRICT);
    assertThatThrownBy(request::create).hasMessageContaining("unknown field \"specc\"");
  }

  static List<String> examples() {
    return ShippedFiles.yamlFiles("examples").stream()
        .filter(file -> !file.contains("policy-plugin")) // a policy file is no Kubernetes object
        .filter(file -> !file.contains("operators")) // JobController tries them
        .toList();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void api_server_knows_every_field_of_the_example(String file) {
    for (HasMetadata object : ShippedFiles.objects(file)) {
      var request = admin.resource(object).inNamespace("default").dryRun(true);
      assertThat(request.fieldValidation(Validation.STRICT).create()).isNotNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'',nodes,'',list,true",
    "'',pods,'',watch,true",
    "'',pods,'',patch,true",
    "'',pods,status,patch,true",
    "'',pods,eviction,create,true",
    "scheduling.x-k8s.io,podgroups,status,patch,true",
    "events.k8s.io,events,'',create,true",
    "authentication.k8s.io,tokenreviews,'',create,true",
    "authorization.k8s.io,subjectaccessreviews,'',create,true",
    "'',secrets,'',get,false",
    "'',pods,'',create,false",
    "'',pods,'',delete,false",
    "'',pods,exec,create,false",
    "'',nodes,'',patch,false",
    "'',configmaps,'',get,false",
    "scheduling.x-k8s.io,podgroups,'',delete,true",
    "scheduling.volcano.sh,podgroups,'',delete,false",
    "rbac.authorization.k8s.io,clusterroles,'',list,false",
  })
  void muster_has_only_the_listed_permissions(
      String group, String resource, String part, String verb, boolean allowed) {
    var review =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            .withGroup(group)
            .withResource(resource)
            .withSubresource(part)
            .withVerb(verb)
            .withNamespace("default")
            .endResourceAttributes()
            .endSpec()
            .build();
    try (KubernetesClient muster =
        plane.client(plane.serviceAccountToken("muster-system", "muster"))) {
      assertThat(muster.resource(review).create().getStatus().getAllowed()).isEqualTo(allowed);
    }
  }

  @Test
  void without_muster_only_gpu_pods_wait() {
    cluster.create(gpuPod("with", 1));
    cluster.create(without("without"));

    cluster.awaitRunning("without");

    awaitExtenderError("with");
    cluster.delete("with");
    cluster.delete("without");
    cluster.awaitGone("with", "without");
  }

  @Test
  void second_scheduler_serves_only_its_own_pods() throws IOException {
    String shipped = ShippedFiles.text("scheduler/second-scheduler/kube-scheduler-config.yaml");
    plane.restartScheduler(shipped.replace("/etc/muster/tls/", folder + "/"));
    assertThat(Files.readString(folder.resolve("ca.crt"))).contains("BEGIN CERTIFICATE");
    cluster.create(by("muster", without("mine")));
    cluster.create(by("muster", gpuPod("mine-with-gpu", 1)));
    cluster.create(without("others"));

    cluster.awaitRunning("mine");

    awaitExtenderError("mine-with-gpu");
    assertThat(cluster.nodeOf("others")).isEmpty();
    cluster.delete("mine");
    cluster.delete("mine-with-gpu");
    cluster.delete("others");
    cluster.awaitGone("mine", "mine-with-gpu", "others");
    plane.restartScheduler(files.schedulerConfiguration());
  }

  @Test
  void webhooks_select_their_pods() {
    try (var listener = new RecordingWebhook(folder)) {
      var shipped =
          ShippedFiles.only(
              ShippedFiles.built("manifests"), MutatingWebhookConfiguration.class, "muster");
      admin.resource(listener.aimed(shipped)).fieldValidation(Validation.STRICT).create();
      namespace(
          "kept-out", Map.of("muster.dev/gate", "disabled", "muster.dev/hide-gpus", "disabled"));
      listener.awaitCalledFor(admin, without("warm-up").build());

      dryRun("gpu", gpuPod("gpu", 1));
      dryRun("cpu", without("cpu"));
      dryRun("zero", gpuPod("zero", 0));
      dryRun("launcher", labelled(without("launcher"), TestGangs.LABEL, "g"));
      dryRun("sidecar", withSidecar(gpuPod("sidecar", 1)));
      dryRun("bound", onNode(labelled(without("bound"), TestGangs.LABEL, "g"), "n0"));
      admin
          .pods()
          .inNamespace("kept-out")
          .resource(gpuPod("out", 1).editMetadata().withNamespace("kept-out").endMetadata().build())
          .dryRun(true)
          .create();

      cluster.create(gpuPod("debugged", 1));
      assertThat(listener.asked("hide"))
          .isEqualTo(Set.of("warm-up", "cpu", "zero", "launcher", "sidecar", "bound"));
      debug("debugged");

      assertThat(listener.asked("gate"))
          .isEqualTo(Set.of("gpu", "zero", "launcher", "sidecar", "debugged"));
      assertThat(listener.asked("hide"))
          .isEqualTo(Set.of("warm-up", "cpu", "zero", "launcher", "sidecar", "bound", "debugged"));
      admin.resource(shipped).delete();
      cluster.delete("debugged");
    }
  }

  /// The kubelet reports the pod at the same time, so the patch names no version.
  private void debug(String pod) {
    admin
        .pods()
        .inNamespace("default")
        .withName(pod)
        .subresource("ephemeralcontainers")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            """
            {"spec":{"ephemeralContainers":[{"name":"debugger","image":"registry.example/cuda"}]}}\
            """);
  }

  private void awaitExtenderError(String pod) {
    await(pod + " waits for the extender")
        .atMost(TestCluster.WAIT)
        .until(() ->
            cluster.find(pod).stream()
                .flatMap(p -> p.getStatus().getConditions().stream())
                .anyMatch(c -> String.valueOf(c.getMessage()).contains("/scheduler/filter")));
    assertThat(cluster.nodeOf(pod)).isEmpty();
  }

  private void namespace(String name, Map<String, String> labels) {
    var namespace =
        new NamespaceBuilder().withNewMetadata().withName(name).withLabels(labels).endMetadata();
    admin.resource(namespace.build()).create();
  }

  private void dryRun(String name, PodBuilder pod) {
    Pod created = admin.pods().inNamespace("default").resource(pod.build()).dryRun(true).create();
    assertThat(created.getMetadata().getName()).isEqualTo(name);
  }

  private static PodBuilder without(String name) {
    return gpuPod(name, 0)
        .editSpec()
        .editFirstContainer()
        .withResources(null)
        .endContainer()
        .endSpec();
  }

  private static PodBuilder by(String scheduler, PodBuilder pod) {
    return pod.editSpec().withSchedulerName(scheduler).endSpec();
  }

  private static PodBuilder labelled(PodBuilder pod, String key, String value) {
    return pod.editMetadata().addToLabels(key, value).endMetadata();
  }

  private static PodBuilder onNode(PodBuilder pod, String node) {
    return pod.editSpec().withNodeName(node).endSpec();
  }

  private static PodBuilder withSidecar(PodBuilder pod) {
    return pod.editSpec()
        .addNewContainer()
        .withName("side")
        .withImage("registry.example/side")
        .endContainer()
        .endSpec();
  }
}
