package dev.muster.server.kube;

import com.fasterxml.jackson.core.JsonParser;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.parse.FieldSelection;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/// Objects of manifests, read as objects of a cluster are read.
public final class Yaml {
  private static final KubernetesSerialization READER = ObjectTrimmer.serialization();

  private Yaml() {}

  public static String file(String name) {
    try (var stream = Objects.requireNonNull(Yaml.class.getResourceAsStream("/kube/" + name))) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Node node(String yaml) {
    return READER.unmarshal(yaml, Node.class);
  }

  public static Pod pod(String yaml) {
    return READER.unmarshal(yaml, Pod.class);
  }

  static ResourceSlice slice(String yaml) {
    return READER.unmarshal(yaml, ResourceSlice.class);
  }

  /// Reads these fields of an owner.
  public static GenericKubernetesResource owner(String yaml, FieldSelection selection) {
    try (JsonParser parser = ObjectTrimmer.mapper().createParser(READER.asJson(group(yaml)))) {
      return ObjectTrimmer.read(parser, GenericKubernetesResource.class, selection);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static GenericKubernetesResource group(String yaml) {
    return READER.unmarshal(yaml, GenericKubernetesResource.class);
  }
}
