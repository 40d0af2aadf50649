package dev.muster.server.kube;

import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.gang.Wishes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// What the labels and annotations of a PodGroup, or of a pod, wish for its gang.
record GangWishes(Map<String, String> labels, Map<String, String> annotations) {
  static GangWishes of(HasMetadata object) {
    return new GangWishes(
        Objects.requireNonNullElseGet(object.getMetadata().getLabels(), Map::of),
        Objects.requireNonNullElseGet(object.getMetadata().getAnnotations(), Map::of));
  }

  /// The queue named by label.
  Optional<String> queue() {
    return first(labels, Names.QUEUE, "kueue.x-k8s.io/queue-name");
  }

  /// How near: our own words, then Kueue's, then KAI's; each of the two parts by itself.
  TopologyConstraint topology() {
    return new TopologyConstraint(
        first(
            annotations,
            Names.TOPOLOGY_REQUIRED,
            "kueue.x-k8s.io/podset-required-topology",
            "kai.scheduler/topology-required-placement"),
        first(
            annotations,
            Names.TOPOLOGY_PREFERRED,
            "kueue.x-k8s.io/podset-preferred-topology",
            "kai.scheduler/topology-preferred-placement"));
  }

  Wishes wishes() {
    return new Wishes(topology(), gpus());
  }

  GpuChoice gpus() {
    List<String> models =
        Arrays.stream(annotations.getOrDefault(Names.GPU_MODELS, "").split(",", -1))
            .map(String::strip)
            .filter(model -> !model.isEmpty())
            .distinct()
            .toList();
    return models.isEmpty() && !mixed() ? GpuChoice.ANY : new GpuChoice(models, mixed());
  }

  private boolean mixed() {
    String value = annotations.getOrDefault(Names.MIX_GPU_MODELS, "false").strip();
    return switch (value) {
      case "true" -> true;
      case "false", "" -> false;
      default ->
          throw new IllegalArgumentException(
              "The annotation %s is (%s); it must be true or false."
                  .formatted(Names.MIX_GPU_MODELS, value));
    };
  }

  private static Optional<String> first(Map<String, String> values, String... keys) {
    return Arrays.stream(keys)
        .map(key -> values.getOrDefault(key, "").strip())
        .filter(value -> !value.isEmpty())
        .findFirst();
  }
}
