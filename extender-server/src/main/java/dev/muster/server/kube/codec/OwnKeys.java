package dev.muster.server.kube.codec;

import dev.muster.policy.file.NearestWord;
import dev.muster.server.kube.client.Metadata;
import dev.muster.server.kube.client.Names;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds unknown labels and annotations with Muster's prefix on pods and PodGroups.
///
/// The setting behind such a key has no effect, which is reported. The gang starts nevertheless,
/// since another version may know the key.
public final class OwnKeys {
  private static final String PREFIX = "muster.dev/";

  private static final List<String> LABELS = List.of(Names.QUEUE);

  private static final List<String> ANNOTATIONS =
      List.of(
          Names.TOPOLOGY_REQUIRED,
          Names.TOPOLOGY_PREFERRED,
          Names.SLICE_SIZE,
          Names.SLICE_TOPOLOGY,
          Names.LAYOUT,
          Names.GPU_MODELS,
          Names.MIX_GPU_MODELS,
          Names.RUNTIME,
          Names.MAX_COUNT,
          Names.PREEMPTIBLE,
          Names.RESTART_TIME,
          Names.CHECKPOINTED_AT,
          Names.PREEMPTION_ACKNOWLEDGED,
          Names.PREEMPTION_DEADLINE,
          Names.PREEMPTED_BY,
          Names.PREEMPTED_AT,
          Names.VICTIMS,
          Names.RESERVATION,
          Names.NOMINATED_AT);

  private OwnKeys() {}

  /// Returns the problem of the first unknown key, in alphabetical order, labels first.
  public static Optional<Problem> stray(HasMetadata object) {
    return Stream.concat(
            strays("label", Metadata.labels(object), LABELS, "annotation", ANNOTATIONS),
            strays("annotation", Metadata.annotations(object), ANNOTATIONS, "label", LABELS))
        .findFirst()
        .map(words -> new Problem(ObjectRef.to(object), Problem.INVALID, words));
  }

  private static Stream<String> strays(
      String kind, Map<String, String> said, List<String> known, String other, List<String> there) {
    return said.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(PREFIX) && !known.contains(entry.getKey()))
        .sorted(Map.Entry.comparingByKey())
        .map(entry ->
            "The %s %s (%s) is unknown and ignored.%s"
                .formatted(
                    kind,
                    entry.getKey(),
                    entry.getValue(),
                    remedy(entry.getKey(), known, other, there)));
  }

  private static String remedy(String key, List<String> known, String other, List<String> there) {
    return there.contains(key)
        ? " It is supported as %s only."
            .formatted(other.equals("label") ? "a label" : "an annotation")
        : NearestWord.to(bare(key), known.stream().map(OwnKeys::bare).toList())
            .map(near -> " Did you mean %s%s?".formatted(PREFIX, near))
            .orElse("");
  }

  private static String bare(String key) {
    return key.substring(PREFIX.length());
  }
}
