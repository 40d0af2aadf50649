package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodRequests;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reduces objects for which there is no memory. Names and short labels are kept, and of pods also
/// node, resources and state. Most then take a few KiB.
final class ObjectOutline {
  /// Characters of all labels that are kept, and of all annotations. The shortest come first, as
  /// names of gangs and queues are short.
  private static final int TEXT = 4_096;

  private ObjectOutline() {}

  static void reduce(Pod pod) {
    reduce(pod.getMetadata());
    PodSpec spec = pod.getSpec();
    PodRequests.merge(pod);
    spec.setAffinity(null);
    spec.setNodeSelector(null);
    spec.setTolerations(List.of());
    spec.setSchedulingGates(
        spec.getSchedulingGates().stream()
            .sorted(Comparator.comparing(gate -> !WellKnownNames.GATE.equals(gate.getName())))
            .limit(2)
            .toList());
    PodStatus status = pod.getStatus();
    if (status != null && !PodCodec.isOver(pod)) {
      status.setContainerStatuses(List.of());
      status.setInitContainerStatuses(List.of());
    }
  }

  static void reduce(GenericKubernetesResource group) {
    reduce(group.getMetadata());
    Map<String, Object> kept = new LinkedHashMap<>(group.getAdditionalProperties());
    kept.keySet().retainAll(List.of("status"));
    group.setAdditionalProperties(kept);
  }

  private static void reduce(ObjectMeta meta) {
    meta.setLabels(shortest(meta.getLabels()));
    meta.setAnnotations(shortest(meta.getAnnotations()));
    meta.setOwnerReferences(
        meta.getOwnerReferences().stream()
            .sorted(Comparator.comparing(owner -> !isController(owner)))
            .limit(1)
            .toList());
  }

  private static boolean isController(OwnerReference owner) {
    return Boolean.TRUE.equals(owner.getController());
  }

  private static @Nullable Map<String, String> shortest(@Nullable Map<String, String> texts) {
    if (texts == null) {
      return null;
    }
    Map<String, String> kept = new LinkedHashMap<>();
    int[] left = {TEXT};
    texts.entrySet().stream()
        .filter(text -> text.getValue() != null)
        .sorted(Comparator.comparingInt(ObjectOutline::length).thenComparing(Map.Entry::getKey))
        .takeWhile(text -> (left[0] -= length(text)) >= 0)
        .forEach(text -> kept.put(text.getKey(), text.getValue()));
    return kept;
  }

  private static int length(Map.Entry<String, String> text) {
    return text.getKey().length() + text.getValue().length();
  }
}
