package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Replaceable;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// A real job controller beside a test control plane. It has the rights of its own ServiceAccount,
/// and its CRDs, roles and webhooks are the files of its Go module.
final class JobController implements BeforeAllCallback, AfterAllCallback {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();
  private static final Pattern DOCUMENT_END = Pattern.compile("(?m)^---\\s*$");

  /// Where training-operator wants its certificate, whatever its flags say.
  private static final Path FIXED_FOLDER = Path.of("/tmp/k8s-webhook-server/serving-certs");

  private final TestStage stage;
  private final JobControllerModule module;
  private final String option;
  private @Nullable Running running;

  private record Running(ChildProcess process, Thread atExit) {}

  private JobController(TestStage stage, JobControllerModule module, String option) {
    this.stage = stage;
    this.module = module;
    this.option = option;
  }

  /// A controller on a stage, which must be set before.
  static JobController of(TestStage stage, JobControllerModule module) {
    return new JobController(stage, module, "");
  }

  /// Adds a flag, or a line of its configuration.
  JobController with(String flag) {
    return new JobController(stage, module, flag);
  }

  /// Installs and starts the controller. Then it restarts Muster, which looks once a minute whether
  /// there are new kinds.
  @Override
  public void beforeAll(ExtensionContext context) throws IOException, InterruptedException {
    ChildProcess process = new Place(stage, module).process(option);
    var atExit = new Thread(process::kill, "job-controller-at-exit");
    Runtime.getRuntime().addShutdownHook(atExit);
    running = new Running(process, atExit);
    process.start();
    stage.killMuster();
    stage.startMuster();
    for (String sample : module.samples()) {
      awaitServing(process, SampleJob.of(stage.admin(), sample).object());
    }
  }

  /// Waits until the API server takes this object, for which it asks the webhooks of the
  /// controller.
  private void awaitServing(ChildProcess process, HasMetadata sample) {
    try {
      await("its webhooks")
          .atMost(TestCluster.WAIT)
          .ignoreExceptions()
          .failFast(() -> !process.isAlive())
          .until(() -> stage.admin().resource(sample).dryRun().create() != null);
    } catch (RuntimeException e) {
      throw new IllegalStateException(module.program() + " is not ready:\n" + process.tail(), e);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (running != null) {
      running.process().kill();
      Runtime.getRuntime().removeShutdownHook(running.atExit());
      running = null;
    }
  }

  /// One installation of a controller.
  private record Place(TestStage stage, JobControllerModule module) {
    ChildProcess process(String option) throws IOException, InterruptedException {
      Path logs = stage.plane().logs();
      Path built =
          GoBuild.run(GoBinary.sources().resolve("operators/build.sh"), module.program(), logs);
      int port = FreePorts.next();
      KubernetesClient admin = stage.admin();
      admin
          .resource(
              new NamespaceBuilder()
                  .withNewMetadata()
                  .withName(module.namespace())
                  .endMetadata()
                  .build())
          .createOr(Replaceable::update);
      admin.leases().inNamespace(module.namespace()).delete(); // of one that was killed
      String account = "";
      for (String file : module.files()) {
        for (JsonNode object : documents(built.resolve("manifests").resolve(file))) {
          ObjectNode fitted = fitted((ObjectNode) object, port);
          if (fitted.path("kind").asText().equals("ServiceAccount")) {
            account = fitted.at("/metadata/name").asText();
          }
          apply(admin, fitted);
        }
      }
      if (module == JobControllerModule.TRAINING_OPERATOR) {
        prepareFixedFolder(admin);
      }
      Path kubeconfig =
          stage.plane().kubeconfig(stage.plane().serviceAccountToken(module.namespace(), account));
      var command = new ArrayList<>(List.of(built.resolve(module.program()).toString()));
      command.addAll(
          module.flags(new JobControllerModule.Place(stage.files().folder(), port), option));
      return new ChildProcess(
          command,
          Map.of("KUBECONFIG", kubeconfig.toString(), "MY_POD_NAMESPACE", module.namespace()),
          logs.resolve(module.program() + ".log"));
    }

    private static void apply(KubernetesClient admin, ObjectNode object) {
      HasMetadata applied = admin.resource(object.toString()).createOr(Replaceable::update);
      if (applied instanceof CustomResourceDefinition kind) {
        Installation.awaitEstablished(admin, kind);
      }
    }

    private static List<JsonNode> documents(Path file) throws IOException {
      return DOCUMENT_END
          .splitAsStream(Files.readString(file))
          .map(text -> YAML.unmarshal(text, JsonNode.class))
          .filter(Objects::nonNull)
          .filter(JsonNode::isObject)
          .toList();
    }

    /// Does what the kustomization of the module does: names, namespaces and addresses.
    private ObjectNode fitted(ObjectNode object, int port) throws IOException {
      switch (object.path("kind").asText()) {
        case "ServiceAccount", "Role", "RoleBinding" -> {
          prefix(object.withObject("/metadata"));
          object.withObject("/metadata").put("namespace", module.namespace());
        }
        case "ClusterRole", "ClusterRoleBinding" -> prefix(object.withObject("/metadata"));
        case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration" ->
            fitWebhooks(object, port);
        default -> {}
      }
      if (object.get("roleRef") instanceof ObjectNode role) {
        prefix(role);
      }
      for (JsonNode subject : object.path("subjects")) {
        prefix((ObjectNode) subject);
        ((ObjectNode) subject).put("namespace", module.namespace());
      }
      return object;
    }

    private void prefix(ObjectNode named) {
      named.put("name", module.namePrefix() + named.path("name").asText());
    }

    private void fitWebhooks(ObjectNode configuration, int port) throws IOException {
      prefix(configuration.withObject("/metadata"));
      if (module == JobControllerModule.TRAINING_OPERATOR) {
        configuration
            .withObject("/metadata")
            .put("name", "validator.training-operator.kubeflow.org");
      }
      for (JsonNode webhook : configuration.path("webhooks")) {
        fitWebhook((ObjectNode) webhook, port);
      }
    }

    private void fitWebhook(ObjectNode webhook, int port) throws IOException {
      if (module == JobControllerModule.TRAINING_OPERATOR) {
        webhook.remove("rules");
        return;
      }
      String path = webhook.at("/clientConfig/service/path").asText();
      byte[] authority = Files.readAllBytes(stage.files().folder().resolve("ca.crt"));
      webhook
          .putObject("clientConfig")
          .put("url", "https://127.0.0.1:%d%s".formatted(port, path))
          .put("caBundle", Base64.getEncoder().encodeToString(authority));
      if (webhook.path("name").asText().endsWith("pod.kb.io")) {
        webhook
            .withObject("/objectSelector")
            .putArray("matchExpressions")
            .addObject()
            .put("key", module.podLabel())
            .put("operator", "Exists");
      }
    }

    private void prepareFixedFolder(KubernetesClient admin) throws IOException {
      Files.createDirectories(FIXED_FOLDER);
      for (String file : List.of("tls.crt", "tls.key")) {
        Files.copy(
            stage.files().folder().resolve(file),
            FIXED_FOLDER.resolve(file),
            StandardCopyOption.REPLACE_EXISTING);
      }
      var secret =
          new SecretBuilder()
              .withNewMetadata()
              .withName("training-operator-webhook-cert")
              .withNamespace(module.namespace())
              .endMetadata()
              .build();
      admin.resource(secret).createOr(Replaceable::update);
    }
  }
}
