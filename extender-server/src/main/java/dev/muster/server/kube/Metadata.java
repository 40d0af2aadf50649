package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Objects;

/// Reads labels and annotations of objects; absent maps are empty.
final class Metadata {
  private Metadata() {}

  static Map<String, String> labels(HasMetadata object) {
    return Objects.requireNonNullElseGet(object.getMetadata().getLabels(), Map::of);
  }

  static Map<String, String> annotations(HasMetadata object) {
    return Objects.requireNonNullElseGet(object.getMetadata().getAnnotations(), Map::of);
  }
}
