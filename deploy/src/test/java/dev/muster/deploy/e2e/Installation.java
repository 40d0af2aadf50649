package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// The files of `deploy/`, adapted to a test. Only addresses and paths of files are replaced.
///
/// @param folder where certificates and configuration are written
/// @param http the port of Muster's plain listener
/// @param https the port of Muster's TLS listener
record Installation(Path folder, int http, int https) {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();

  /// The scheduler's configuration, with Muster at its address here.
  String schedulerConfiguration() {
    return fitted("scheduler/kube-scheduler-config.yaml", "10.96.0.88:443", "127.0.0.1:" + https);
  }

  /// Returns the legacy policy for an old scheduler.
  String legacyPolicy() {
    return fitted("scheduler/policy.json", "10.96.0.88:443", "127.0.0.1:" + https);
  }

  /// Writes the files by which the API server shows Muster a certificate. Returns its flag.
  String admissionFlag() {
    Path kubeconfig = folder.resolve("admission-kubeconfig.yaml");
    Path configuration = folder.resolve("admission-configuration.yaml");
    try {
      Files.writeString(
          kubeconfig,
          fitted(
              "scheduler/admission-kubeconfig.yaml",
              "muster.muster-system.svc",
              "127.0.0.1:" + https));
      Files.writeString(
          configuration, inFolder(ShippedFiles.text("scheduler/admission-configuration.yaml")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return "--admission-control-config-file=" + configuration;
  }

  private String fitted(String path, String from, String to) {
    String text = ShippedFiles.text(path);
    if (!text.contains(from)) {
      throw new IllegalStateException(path + " does not contain " + from);
    }
    return inFolder(text.replace(from, to));
  }

  /// Returns the text with this folder in place of the one on control-plane nodes.
  private String inFolder(String text) {
    return text.replace("/etc/kubernetes/muster/", folder + "/");
  }

  /// Makes the certificates with the shipped script.
  void makeCertificates() {
    try {
      var script = ShippedFiles.folder().resolve("webhook-cert.sh").toString();
      var run =
          new ProcessBuilder(script, "--out", folder.toString(), "--days", "1")
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("webhook-cert.log").toFile())
              .start();
      if (!run.waitFor(30, TimeUnit.SECONDS) || run.exitValue() != 0) {
        throw new IllegalStateException(Files.readString(folder.resolve("webhook-cert.log")));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while certificates were made", e);
    }
  }

  /// Takes over the certificates of another installation, as replicas share a Secret.
  void shareCertificates(Installation other) throws IOException {
    for (String file : List.of("ca.crt", "tls.crt", "tls.key", "client.crt", "client.key")) {
      Files.copy(other.folder.resolve(file), folder.resolve(file));
    }
  }

  /// Returns a client that shows no certificate, as all do but kube-scheduler and the API server.
  HttpClient stranger() {
    return ClientKeys.of(folder).client(false);
  }

  /// Returns a client with the certificate of kube-scheduler and the API server.
  HttpClient knownClient() {
    return ClientKeys.of(folder).client(true);
  }

  /// Writes Muster's configuration.
  ///
  /// @param changes replaces these top-level fields, as YAML
  Path writeConfiguration(String changes) {
    ObjectNode configuration = (ObjectNode) ShippedFiles.tree("manifests/server/muster.yaml");
    configuration
        .withObject("/preemption")
        .put(
            "policy", ShippedFiles.folder().resolve("manifests/server/preemption.yaml").toString());
    JsonNode changed = YAML.unmarshal(changes, JsonNode.class);
    if (changed instanceof ObjectNode fields) {
      configuration.setAll(fields);
    }
    ObjectNode server = configuration.withObject("/server");
    server.put("host", "127.0.0.1").put("port", http).put("probePort", 0);
    server
        .withObject("/tls")
        .put("port", https)
        .put("certFile", folder.resolve("tls.crt").toString())
        .put("keyFile", folder.resolve("tls.key").toString())
        .put("clientAuthority", folder.resolve("ca.crt").toString());
    try {
      return Files.writeString(folder.resolve("muster.yaml"), YAML.asYaml(configuration));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Applies the manifests but those that run Muster as a pod; the webhook calls Muster here.
  void apply(KubernetesClient admin, TestStage.Gating gating) {
    Predicate<HasMetadata> wanted =
        object ->
            switch (object) {
              case Deployment _, Service _ -> false;
              case MutatingWebhookConfiguration _ -> gating != TestStage.Gating.NOBODY;
              default -> true;
            };
    List<HasMetadata> objects = new ArrayList<>(ShippedFiles.edited("manifests"));
    objects.removeIf(wanted.negate());
    if (gating == TestStage.Gating.POLICY) {
      objects.addAll(policy());
    }
    objects.stream()
        .map(this::fitted)
        .forEach(o -> admin.resource(o).fieldValidation(Validation.STRICT).create());
    objects.stream()
        .filter(CustomResourceDefinition.class::isInstance)
        .map(CustomResourceDefinition.class::cast)
        .forEach(crd -> awaitEstablished(admin, crd));
  }

  /// The admission policy that gates pods.
  static List<HasMetadata> policy() {
    return ShippedFiles.built("manifests/admission-policy");
  }

  private HasMetadata fitted(HasMetadata object) {
    return object instanceof MutatingWebhookConfiguration webhook ? fitted(webhook) : object;
  }

  private HasMetadata fitted(MutatingWebhookConfiguration shipped) {
    var webhooks =
        shipped.getWebhooks().stream()
            .map(webhook ->
                webhook
                    .edit()
                    .withClientConfig(
                        clientConfig(webhook.getClientConfig().getService().getPath()).build())
                    .build())
            .toList();
    return new MutatingWebhookConfigurationBuilder(shipped).withWebhooks(webhooks).build();
  }

  private WebhookClientConfigBuilder clientConfig(String path) {
    try {
      byte[] authority = Files.readAllBytes(folder.resolve("ca.crt"));
      return new WebhookClientConfigBuilder()
          .withUrl("https://127.0.0.1:%d%s".formatted(https, path))
          .withCaBundle(Base64.getEncoder().encodeToString(authority));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void awaitEstablished(KubernetesClient admin, CustomResourceDefinition crd) {
    await("CRD established")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> isEstablished(Objects.requireNonNull(admin.resource(crd).get())));
  }

  private static boolean isEstablished(CustomResourceDefinition crd) {
    return crd.getStatus() != null
        && crd.getStatus().getConditions() != null
        && crd.getStatus().getConditions().stream()
            .anyMatch(c -> "Established".equals(c.getType()) && "True".equals(c.getStatus()));
  }

  /// Deletes the folder.
  void delete() throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  /// The JVM options for the AOT cache, which is made as in the image, once for all tests.
  private static synchronized String withCache(Path launcher) {
    Path cache = launcher.resolveSibling("serve.aot");
    if (!Files.exists(cache)) {
      var making =
          new ProcessBuilder(launcher.toString(), "demo", "--once", "--fast", "--port", "0")
              .inheritIO();
      making.environment().put("MUSTER_JAVA_OPTS", "-XX:+UseG1GC -XX:AOTCacheOutput=" + cache);
      try {
        making.start().waitFor(2, TimeUnit.MINUTES);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted while the AOT cache was made", e);
      }
    }
    return " -Xlog:aot=off -Xlog:cds=off -XX:AOTCache=" + cache;
  }

  /// A Muster that runs with the rights of the shipped ServiceAccount; not yet started.
  ///
  /// @param name of the pod that it would be
  ChildProcess muster(String name, Path kubeconfig, Path configuration, Path log, String options) {
    Path launcher = ShippedFiles.folder().resolve("target/muster/muster");
    return muster(launcher, name, kubeconfig, configuration, log, options + withCache(launcher));
  }

  /// A Muster of another build.
  ChildProcess muster(
      Path launcher, String name, Path kubeconfig, Path configuration, Path log, String options) {
    if (!Files.isExecutable(launcher)) {
      throw new IllegalStateException(
          launcher
              + " does not exist. Maybe run the tests by deploy/e2e.sh, which builds it first.");
    }
    return new ChildProcess(
        List.of(launcher.toString(), "serve", "--config", configuration.toString()),
        Map.of(
            "KUBECONFIG",
            kubeconfig.toString(),
            "MUSTER_JAVA_OPTS",
            options,
            "POD_NAMESPACE",
            "muster-system",
            "POD_NAME",
            name),
        log);
  }
}
