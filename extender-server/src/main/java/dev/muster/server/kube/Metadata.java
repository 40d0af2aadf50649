package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Objects;

/// What people and programs write on objects; empty where nobody wrote anything.
final class Metadata {
  private Metadata() {}

  static Map<String, String> labels(HasMetadata object) {
    return Objects.requireNonNullElseGet(object.getMetadata().getLabels(), Map::of);
  }

  static Map<String, String> annotations(HasMetadata object) {
    return Objects.requireNonNullElseGet(object.getMetadata().getAnnotations(), Map::of);
  }
}
