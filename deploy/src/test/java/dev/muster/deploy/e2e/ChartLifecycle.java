package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// A real helm installs, upgrades, rolls back and removes the chart.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ChartLifecycle {
  private static final String NAMESPACE = "muster-system";

  private final ControlPlane plane;
  private final KubernetesClient admin;
  private final HelmCommand helm;

  /// What this helm needs to take fields from kubectl.
  private final List<String> force;

  private final Path folder;

  ChartLifecycle(String tool, List<String> force, Path folder) {
    this.folder = folder;
    this.force = force;
    plane = ControlPlane.start(TestSetup.of(getClass()));
    admin = plane.admin();
    helm = HelmCommand.ready(tool, plane.kubeconfig(ControlPlane.ADMIN_TOKEN), folder);
  }

  @AfterAll
  void close() {
    plane.close();
  }

  @Test
  void release_is_installed_upgraded_rolled_back_and_removed() {
    Set<String> before = ClusterInventory.of(admin);

    helm.run(onCluster("install"));
    Set<String> installed = ClusterInventory.of(admin);
    String authority = secret("muster-webhook-tls", "ca.crt");
    assertThat(isSigned("muster-webhook-tls") && isSigned("muster-client-tls")).isTrue();
    assertThat(admin.resources(MutatingWebhookConfiguration.class).withName("muster").get())
        .satisfies(webhook ->
            assertThat(webhook.getWebhooks())
                .extracting(w -> w.getClientConfig().getCaBundle())
                .containsOnly(authority));
    assertThat(may("muster", "pods", "patch")).isTrue();
    assertThat(may("muster", "secrets", "get")).isFalse();

    helm.run(onCluster("upgrade", "secondScheduler.enabled=true", "config.gating.hideGpus=false"));
    assertThat(secret("muster-webhook-tls", "ca.crt")).isEqualTo(authority);
    assertThat(may("muster-scheduler", "pods/binding", "create")).isTrue();
    if (GoBinary.CONTROL_PLANE.isFrom(36)) {
      namespace("plain", Map.of());
      namespace("labelled", Map.of("muster.dev/scheduler", "muster"));
      namespace("ungated", Map.of("muster.dev/scheduler", "muster", "muster.dev/gate", "disabled"));
      await("policies are in force")
          .atMost(TestCluster.WAIT)
          .until(() -> schedulerAndGates("labelled").equals("muster [muster.dev/gang]"));
      assertThat(schedulerAndGates("plain")).isEqualTo("default-scheduler []");
      assertThat(schedulerAndGates("ungated")).isEqualTo("muster []");
    }

    helm.run(List.of("rollback", "muster", "1", "--namespace", NAMESPACE));
    assertThat(
            without(
                ClusterInventory.of(admin),
                "Namespace /plain",
                "Namespace /labelled",
                "Namespace /ungated"))
        .isEqualTo(
            with(
                installed,
                "Secret muster-system/sh.helm.release.v1.muster.v2",
                "Secret muster-system/sh.helm.release.v1.muster.v3"));
    assertThat(secret("muster-webhook-tls", "ca.crt")).isEqualTo(authority);

    helm.run(List.of("uninstall", "muster", "--namespace", NAMESPACE));
    assertThat(
            without(
                ClusterInventory.of(admin),
                "Namespace /plain",
                "Namespace /labelled",
                "Namespace /ungated"))
        .isEqualTo(
            with(
                before,
                "APIService /v1alpha1.scheduling.x-k8s.io",
                "CustomResourceDefinition /podgroups.scheduling.x-k8s.io",
                "Namespace /muster-system"));
  }

  /// As `deploy/webhook-cert.sh` does it after the installation.
  @Test
  void authority_that_the_script_fills_in_survives_an_upgrade() {
    helm.run(onCluster("install", "certificates.source=Existing"));
    var webhook = admin.resources(MutatingWebhookConfiguration.class).withName("muster");
    String patch =
        "{\"op\":\"add\",\"path\":\"/webhooks/%d/clientConfig/caBundle\",\"value\":\"Q0E=\"}";
    String both = "[%s,%s]".formatted(patch.formatted(0), patch.formatted(1));
    webhook.patch(PatchContext.of(PatchType.JSON), both);

    helm.run(onCluster("upgrade", "certificates.source=Existing", "replicas=2"));

    assertThat(webhook.get().getWebhooks())
        .extracting(w -> w.getClientConfig().getCaBundle())
        .containsExactly("Q0E=", "Q0E=");
    assertThat(ClusterInventory.of(admin)).noneMatch(name -> name.endsWith("-tls"));
    helm.run(List.of("uninstall", "muster", "--namespace", NAMESPACE));
  }

  /// As `kubectl apply --server-side -k deploy/manifests` and `deploy/webhook-cert.sh` leave it.
  @Test
  void objects_of_the_kustomization_become_those_of_a_release() throws IOException {
    for (HasMetadata object : ShippedFiles.edited("manifests")) {
      admin.resource(object).fieldManager("kubectl").forceConflicts().serverSideApply();
    }
    new Installation(folder, 0, 0).makeCertificates();
    certificates("muster-webhook-tls", "tls");
    certificates("muster-client-tls", "client");
    String authority = secret("muster-webhook-tls", "ca.crt");
    String address = service().getSpec().getClusterIP();
    var install = onCluster("install");
    assertThat(helm.attempt(install).output()).contains("invalid ownership metadata");

    install.add("--take-ownership");
    install.addAll(force);
    helm.run(install);

    assertThat(service().getSpec().getClusterIP()).isEqualTo(address);
    assertThat(service().getMetadata().getLabels())
        .containsEntry("app.kubernetes.io/managed-by", "Helm");
    assertThat(secret("muster-webhook-tls", "ca.crt")).isEqualTo(authority);
    assertThat(secret("muster-client-tls", "ca.crt")).isEqualTo(authority);
    var webhook = admin.resources(MutatingWebhookConfiguration.class).withName("muster").get();
    assertThat(webhook.getWebhooks())
        .extracting(w -> w.getClientConfig().getCaBundle())
        .containsOnly(authority);

    var upgrade = onCluster("upgrade", "replicas=2");
    upgrade.addAll(force); // the fields of kubectl are still its own
    helm.run(upgrade);
    helm.run(List.of("uninstall", "muster", "--namespace", NAMESPACE));
    assertThat(ClusterInventory.of(admin))
        .filteredOn(name -> name.substring(name.indexOf('/')).contains("muster"))
        .containsExactly("Namespace /muster-system");
  }

  private Service service() {
    return admin.services().inNamespace(NAMESPACE).withName("muster").get();
  }

  private void certificates(String name, String file) throws IOException {
    var data = new TreeMap<String, String>();
    data.put("ca.crt", Files.readString(folder.resolve("ca.crt")));
    data.put("tls.crt", Files.readString(folder.resolve(file + ".crt")));
    data.put("tls.key", Files.readString(folder.resolve(file + ".key")));
    var secret =
        new SecretBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(NAMESPACE)
            .endMetadata()
            .withType("kubernetes.io/tls")
            .withStringData(data)
            .build();
    admin.resource(secret).create();
  }

  private static List<String> onCluster(String command, String... values) {
    var arguments =
        new ArrayList<>(List.of(command, "muster", HelmCommand.CHART, "--namespace", NAMESPACE));
    if (command.equals("install")) {
      arguments.add("--create-namespace");
    }
    arguments.addAll(HelmCommand.set(HelmCommand.CONTROL_PLANE));
    arguments.addAll(HelmCommand.set(values));
    return arguments;
  }

  private static Set<String> with(Set<String> set, String... more) {
    var result = new TreeSet<>(set);
    result.addAll(List.of(more));
    return result;
  }

  private static Set<String> without(Set<String> set, String... less) {
    var result = new TreeSet<>(set);
    result.removeAll(List.of(less));
    return result;
  }

  private String secret(String name, String file) {
    var secret = admin.secrets().inNamespace(NAMESPACE).withName(name).get();
    return secret.getData().getOrDefault(file, "");
  }

  private boolean isSigned(String secret) {
    try {
      certificate(secret, "tls.crt").verify(certificate(secret, "ca.crt").getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      throw new AssertionError(secret + " is not signed by its authority", e);
    }
  }

  private X509Certificate certificate(String secret, String file) throws GeneralSecurityException {
    byte[] bytes = Base64.getDecoder().decode(secret(secret, file));
    var factory = CertificateFactory.getInstance("X.509");
    return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(bytes));
  }

  private boolean may(String account, String resource, String verb) {
    String[] parts = resource.split("/", -1);
    var review =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            .withResource(parts[0])
            .withSubresource(parts.length > 1 ? parts[1] : null)
            .withVerb(verb)
            .withNamespace("default")
            .endResourceAttributes()
            .endSpec()
            .build();
    try (KubernetesClient client = plane.client(plane.serviceAccountToken(NAMESPACE, account))) {
      return client.resource(review).create().getStatus().getAllowed();
    }
  }

  private void namespace(String name, Map<String, String> labels) {
    var namespace =
        new NamespaceBuilder().withNewMetadata().withName(name).withLabels(labels).endMetadata();
    admin.resource(namespace.build()).create();
  }

  private String schedulerAndGates(String namespace) {
    Pod pod =
        admin
            .pods()
            .inNamespace(namespace)
            .resource(
                new PodBuilder(TestCluster.gpuPod("gpu", 1).build())
                    .editMetadata()
                    .withNamespace(namespace)
                    .endMetadata()
                    .build())
            .dryRun(true)
            .create();
    return pod.getSpec().getSchedulerName()
        + " "
        + pod.getSpec().getSchedulingGates().stream().map(PodSchedulingGate::getName).toList();
  }
}
