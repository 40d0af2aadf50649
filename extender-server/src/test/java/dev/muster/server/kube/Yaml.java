package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/// Objects as they stand in manifests.
final class Yaml {
  private Yaml() {}

  static String file(String name) {
    try (var stream = Objects.requireNonNull(Yaml.class.getResourceAsStream("/kube/" + name))) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Node node(String yaml) {
    return Serialization.unmarshal(yaml, Node.class);
  }

  static Pod pod(String yaml) {
    return Serialization.unmarshal(yaml, Pod.class);
  }

  static GenericKubernetesResource group(String yaml) {
    return Serialization.unmarshal(yaml, GenericKubernetesResource.class);
  }
}
