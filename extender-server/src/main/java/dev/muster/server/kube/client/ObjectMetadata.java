package dev.muster.server.kube.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Objects;

/// Reads labels and annotations of objects; absent maps are empty.
public final class ObjectMetadata {
  private ObjectMetadata() {}

  public static Map<String, String> labels(HasMetadata object) {
    return Objects.requireNonNullElseGet(object.getMetadata().getLabels(), Map::of);
  }

  public static Map<String, String> annotations(HasMetadata object) {
    return Objects.requireNonNullElseGet(object.getMetadata().getAnnotations(), Map::of);
  }
}
