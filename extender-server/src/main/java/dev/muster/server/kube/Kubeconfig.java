package dev.muster.server.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.muster.policy.file.FileWords;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How the API server is reached.
public final class Kubeconfig {
  private final Path file;

  private Kubeconfig(Path file) {
    this.file = file;
  }

  /// A client as the file says; without one: as the pod's service account, `$KUBECONFIG` or
  /// `~/.kube/config` says. To be closed.
  ///
  /// @throws IllegalArgumentException if the file does not say which cluster is meant: the client
  ///   would then ask some default one
  public static KubernetesClient client(Optional<Path> file) {
    Config config =
        file.map(path -> new Kubeconfig(path).config()).orElseGet(() -> Config.autoConfigure(null));
    // Of HTTP/2 there is one connection for all: when that dies without a word every call waits for
    // its timeout, for a quarter of an hour. A connection of HTTP/1.1 is given up with the call.
    config.setHttp2Disable(true);
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private Config config() {
    JsonNode root = root();
    String kind = root.path("kind").asText("Config");
    if (!kind.equals("Config")) {
      throw wrong(
          "is no kubeconfig: its kind is \"%s\", not \"Config\". Maybe the path is wrong."
              .formatted(kind));
    }
    String current = root.path("current-context").asText();
    if (current.isEmpty()) {
      throw wrong(
          "has no current-context, so no cluster is meant. Maybe it is no kubeconfig, or choose one with kubectl config use-context.");
    }
    JsonNode context = named(root.path("contexts"), "contexts", current).path("context");
    String cluster = context.path("cluster").asText();
    JsonNode address = named(root.path("clusters"), "clusters", cluster).at("/cluster/server");
    if (address.asText().isEmpty()) {
      throw wrong(
          "the cluster \"%s\" has no server. Maybe the address of its API server was left out."
              .formatted(cluster));
    }
    String user = context.path("user").asText();
    if (!user.isEmpty()) {
      var _ = named(root.path("users"), "users", user);
    }
    return Config.fromKubeconfig(file.toFile());
  }

  private JsonNode root() {
    String text = text();
    if (text.isBlank()) {
      throw wrong(
          "is empty, no kubeconfig. Maybe the path is wrong, or write it with kubectl config view --raw.");
    }
    JsonNode root = parsed(text);
    if (root == null || !root.isObject()) {
      throw wrong(
          "is no kubeconfig: it is not YAML with fields. Maybe the path is wrong, or it was cut off.");
    }
    return root;
  }

  private static @Nullable JsonNode parsed(String text) {
    try {
      return new KubernetesSerialization().unmarshal(text, JsonNode.class);
    } catch (RuntimeException _) { // whatever the YAML parser throws
      return MissingNode.getInstance();
    }
  }

  private String text() {
    if (Files.isDirectory(file)) {
      throw wrong("is a folder. Maybe name a file in it.");
    }
    try {
      return Files.readString(file);
    } catch (CharacterCodingException _) {
      throw wrong("is not UTF-8 text. Maybe it is no kubeconfig.");
    } catch (IOException failed) {
      throw wrong(FileWords.of(failed));
    }
  }

  private JsonNode named(JsonNode list, String what, String name) {
    List<String> known = list.valueStream().map(each -> each.path("name").asText()).toList();
    int found = known.indexOf(name);
    if (found < 0) {
      throw wrong(
          "\"%s\" is not among its %s %s. Maybe it is misspelt, or the file was cut off."
              .formatted(name, what, known));
    }
    return list.path(found);
  }

  private IllegalArgumentException wrong(String message) {
    return new IllegalArgumentException(file + ": " + message);
  }
}
