package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.PreemptionPreference;
import dev.muster.core.gang.Slices;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.policy.file.Durations;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The constraints and preferences of a gang, from labels and annotations of its PodGroup or pod.
///
/// A mistake does not end the reading: all mistakes are collected.
record GangConstraintsCodec(
    Map<String, String> labels, Map<String, String> annotations, Mistakes mistakes) {
  /// Names of queues: values of labels, and names of objects.
  private static final Pattern QUEUE =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?");

  static GangConstraintsCodec of(HasMetadata object, Mistakes mistakes) {
    return new GangConstraintsCodec(
        ObjectMetadata.labels(object), ObjectMetadata.annotations(object), mistakes);
  }

  /// True if a queue can have this name.
  static boolean isQueue(String name) {
    return QUEUE.matcher(name).matches();
  }

  /// Returns the queue named by label.
  Optional<String> queue() {
    return first(labels, WellKnownNames.QUEUE, WellKnownNames.KUEUE_QUEUE);
  }

  /// Returns the topology constraint. Muster's own keys take precedence over Kueue's, and these
  /// over KAI's; the required and the preferred level are looked up separately.
  TopologyConstraint topology() {
    return new TopologyConstraint(
        first(
            annotations,
            WellKnownNames.TOPOLOGY_REQUIRED,
            "kueue.x-k8s.io/podset-required-topology",
            "kai.scheduler/topology-required-placement"),
        first(
            annotations,
            WellKnownNames.TOPOLOGY_PREFERRED,
            "kueue.x-k8s.io/podset-preferred-topology",
            "kai.scheduler/topology-preferred-placement"),
        mistakes.reading(this::slices),
        mistakes.reading(this::layout, TopologyConstraint.Layout.PACKED));
  }

  private Optional<Slices> slices() {
    String sizeKey = present(WellKnownNames.SLICE_SIZE, "kueue.x-k8s.io/podset-slice-size");
    String levelKey =
        present(WellKnownNames.SLICE_TOPOLOGY, "kueue.x-k8s.io/podset-slice-required-topology");
    String level = annotations.getOrDefault(levelKey, "").strip();
    Optional<Integer> size = count(sizeKey);
    if (size.isPresent() == level.isEmpty()) {
      throw new IllegalArgumentException(
          "The annotations %s (%s) and %s (%s) must be set together; one is missing."
              .formatted(
                  sizeKey, size.map(String::valueOf).orElse(""), levelKey, Mistakes.shown(level)));
    }
    return size.map(members -> new Slices(members, level));
  }

  private TopologyConstraint.Layout layout() {
    String value = annotations.getOrDefault(WellKnownNames.LAYOUT, "packed").strip();
    return switch (value) {
      case "packed", "" -> TopologyConstraint.Layout.PACKED;
      case "balanced" -> TopologyConstraint.Layout.BALANCED;
      default ->
          throw new IllegalArgumentException(
              "The annotation %s is (%s); it must be packed or balanced."
                  .formatted(WellKnownNames.LAYOUT, Mistakes.shown(value)));
    };
  }

  /// Returns the maximum number of running members.
  Optional<Integer> maxCount() {
    return mistakes.reading(() -> count(WellKnownNames.MAX_COUNT));
  }

  private Optional<Integer> count(String key) {
    String text = annotations.getOrDefault(key, "").strip();
    if (text.isEmpty()) {
      return Optional.empty();
    }
    if (!text.matches("[1-9]\\d{0,8}")) {
      throw new IllegalArgumentException(
          "The annotation %s is (%s); it must be a whole number, 1 to 999999999."
              .formatted(key, Mistakes.shown(text)));
    }
    return Optional.of(Integer.valueOf(text));
  }

  /// Returns the maximum runtime declared by the gang's owner.
  Optional<Duration> runtime() {
    return mistakes.reading(() -> duration(WellKnownNames.RUNTIME));
  }

  private Optional<Duration> duration(String key) {
    String text = annotations.getOrDefault(key, "").strip();
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Durations.parsePositive(text));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The annotation %s is (%s): %s".formatted(key, Mistakes.shown(text), e.getMessage()), e);
    }
  }

  private String present(String key, String other) {
    return annotations.containsKey(key) || !annotations.containsKey(other) ? key : other;
  }

  GangConstraints constraints() {
    return new GangConstraints(topology(), gpus(), runtime(), preference(), maxCount());
  }

  /// Returns the owner's preferences about preemption of the gang.
  PreemptionPreference preference() {
    return new PreemptionPreference(
        !isSaid(WellKnownNames.PREEMPTIBLE, "true", "false"),
        mistakes.reading(() -> duration(WellKnownNames.RESTART_TIME)).orElse(Duration.ZERO));
  }

  /// True if the annotation has the second of two values; the first value is the default.
  private boolean isSaid(String key, String usual, String other) {
    String value = annotations.getOrDefault(key, usual).strip();
    if (!value.isEmpty() && !value.equals(usual) && !value.equals(other)) {
      mistakes.note(
          "The annotation %s is (%s); it must be %s or %s."
              .formatted(key, Mistakes.shown(value), other, usual));
    }
    return value.equals(other);
  }

  GpuModelPreference gpus() {
    String text = annotations.getOrDefault(WellKnownNames.GPU_MODELS, "").strip();
    List<String> models =
        Arrays.stream(text.split(",", -1))
            .map(String::strip)
            .filter(model -> !model.isEmpty())
            .distinct()
            .toList();
    if (models.isEmpty() && !text.isEmpty()) {
      mistakes.note(
          "The annotation %s is (%s); it must name models, such as H100,A100."
              .formatted(WellKnownNames.GPU_MODELS, Mistakes.shown(text)));
    }
    return models.isEmpty() && !mixed()
        ? GpuModelPreference.ANY
        : new GpuModelPreference(models, mixed());
  }

  private boolean mixed() {
    return isSaid(WellKnownNames.MIX_GPU_MODELS, "false", "true");
  }

  private static Optional<String> first(Map<String, String> values, String... keys) {
    return Arrays.stream(keys)
        .map(key -> values.getOrDefault(key, "").strip())
        .filter(value -> !value.isEmpty())
        .findFirst();
  }
}
