package dev.muster.server.kube.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.muster.policy.file.FileErrorText;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Utils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Creates the client for the API server from kubeconfig files.
public final class Kubeconfig {
  /// Seconds after which the JDK closes an unused connection, 30 by default. Those that died
  /// unnoticed are thus gone before an outage is over; otherwise calls would fail on each of them.
  private static final String UNUSED = "jdk.httpclient.keepalive.timeout";

  private static final String VARIABLE = "kubeconfig"; // a system property, or $KUBECONFIG

  private final Path file;

  private Kubeconfig(Path file) {
    this.file = file;
  }

  /// Creates a client from the file. Without one, `$KUBECONFIG`, `~/.kube/config` and the pod's
  /// service account are used, in this order. The caller closes the client.
  ///
  /// @throws IllegalArgumentException if no cluster is configured: the client would then use a
  ///   default one. Also if a certificate or its key cannot be read.
  public static KubernetesClient client(Optional<Path> file) {
    Config config = file.map(Kubeconfig::named).orElseGet(Kubeconfig::around);
    if (System.getProperty(UNUSED) == null) {
      System.setProperty(UNUSED, "5");
    }
    // HTTP/2 uses one connection for all calls. When it dies silently, every call waits for its
    // timeout, for up to 15 minutes. A connection of HTTP/1.1 is dropped with its call.
    config.setHttp2Disable(true);
    ClientKey.settle(config);
    try {
      return new KubernetesClientBuilder()
          .withConfig(config)
          .withKubernetesSerialization(ObjectTrimmer.serialization())
          .build();
    } catch (KubernetesClientException problem) {
      throw new IllegalArgumentException(
          "The kubeconfig's certificates cannot be read: "
              + Objects.requireNonNullElse(problem.getCause(), problem).getMessage(),
          problem);
    }
  }

  /// Creates a client for the same API server with connections of its own. After a call that fails,
  /// the next one thus uses a new connection if there are no others. In a pool with many
  /// connections that died together, each would fail once.
  public static KubernetesClient separate(KubernetesClient client) {
    return new KubernetesClientBuilder().withConfig(client.getConfiguration()).build();
  }

  private static Config named(Path file) {
    check(List.of(new Kubeconfig(file)));
    return Config.fromKubeconfig(file.toFile());
  }

  private static Config around() {
    List<Path> files =
        Utils.getSystemPropertyOrEnvVar(Config.KUBERNETES_AUTH_TRYKUBECONFIG_SYSTEM_PROPERTY, true)
            ? Config.getKubeconfigFilenames().stream()
                .filter(name -> !name.isEmpty())
                .map(FileErrorText::path)
                .toList()
            : List.of();
    // As with kubectl, some of several files may be missing.
    List<Kubeconfig> there = files.stream().filter(Files::exists).map(Kubeconfig::new).toList();
    if (!there.isEmpty()) {
      check(there);
    } else if (!files.isEmpty() && Utils.getSystemPropertyOrEnvVar(VARIABLE) != null) {
      throw new Kubeconfig(files.getFirst()).wrong("no such file, but $KUBECONFIG names it.");
    }
    Config config = Config.autoConfigure(null);
    if (there.isEmpty() && config.getMasterUrl().startsWith(Config.DEFAULT_MASTER_URL)) {
      throw new IllegalArgumentException(
          "No cluster configured: neither $KUBECONFIG nor ~/.kube/config exists, and this is no pod with a service account. Name a file with --kubeconfig.");
    }
    return config;
  }

  /// Checks the merged files. A value in an earlier file takes precedence.
  private static void check(List<Kubeconfig> files) {
    List<JsonNode> roots = files.stream().map(Kubeconfig::config).toList();
    Kubeconfig first = files.getFirst();
    String current =
        roots.stream()
            .map(root -> root.path("current-context").asText())
            .filter(name -> !name.isEmpty())
            .findFirst()
            .orElseThrow(() ->
                first.wrong(
                    "no current-context is set. Choose one with kubectl config use-context."));
    JsonNode context = first.named(roots, "contexts", current).path("context");
    String cluster = context.path("cluster").asText();
    JsonNode address = first.named(roots, "clusters", cluster).at("/cluster/server");
    if (address.asText().isEmpty()) {
      throw first.wrong(
          "the cluster \"%s\" has no server, the address of its API server.".formatted(cluster));
    }
    String user = context.path("user").asText();
    if (!user.isEmpty()) {
      var _ = first.named(roots, "users", user);
    }
  }

  private JsonNode config() {
    JsonNode root = root();
    String kind = root.path("kind").asText("Config");
    if (!kind.equals("Config")) {
      throw wrong("is no kubeconfig: its kind is \"%s\", not \"Config\".".formatted(kind));
    }
    return root;
  }

  private JsonNode root() {
    String text = FileErrorText.text(file);
    if (text.isBlank()) {
      throw wrong("is empty. Write it with kubectl config view --raw.");
    }
    JsonNode root = parsed(text);
    if (root == null || !root.isObject()) {
      throw wrong("is no kubeconfig: it is not a YAML object. The file may be truncated.");
    }
    return root;
  }

  private static @Nullable JsonNode parsed(String text) {
    try {
      return new KubernetesSerialization().unmarshal(text, JsonNode.class);
    } catch (RuntimeException _) { // the YAML parser throws several types
      return MissingNode.getInstance();
    }
  }

  private JsonNode named(List<JsonNode> roots, String what, String name) {
    List<JsonNode> all = roots.stream().flatMap(root -> root.path(what).valueStream()).toList();
    List<String> known = all.stream().map(each -> each.path("name").asText()).toList();
    int found = known.indexOf(name);
    if (found < 0) {
      throw wrong("\"%s\" is not among its %s %s.".formatted(name, what, known));
    }
    return all.get(found);
  }

  private IllegalArgumentException wrong(String message) {
    return new IllegalArgumentException(file + ": " + message);
  }
}
