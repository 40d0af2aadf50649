package dev.muster.server.kube.codec;

import dev.muster.policy.file.NearestWord;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds unknown labels and annotations with Muster's prefix on pods and PodGroups.
///
/// The setting behind such a key has no effect, which is reported. The gang starts nevertheless,
/// since another version may know the key.
public final class UnknownKeys {
  private static final String PREFIX = "muster.dev/";

  private static final int TOLD = 5;

  private static final List<String> LABELS =
      List.of(
          WellKnownNames.QUEUE,
          WellKnownNames.FORMS_GANG,
          WellKnownNames.USER,
          WellKnownNames.PROJECT);

  private static final List<String> SETTINGS =
      List.of(
          WellKnownNames.TOPOLOGY_REQUIRED,
          WellKnownNames.TOPOLOGY_PREFERRED,
          WellKnownNames.SLICE_SIZE,
          WellKnownNames.SLICE_TOPOLOGY,
          WellKnownNames.LAYOUT,
          WellKnownNames.GPU_MODELS,
          WellKnownNames.MIX_GPU_MODELS,
          WellKnownNames.RUNTIME,
          WellKnownNames.MAX_COUNT,
          WellKnownNames.PREEMPTIBLE,
          WellKnownNames.RESTART_TIME,
          WellKnownNames.CHECKPOINTED_AT,
          WellKnownNames.PREEMPTION_ACKNOWLEDGED);

  private static final List<String> ANNOTATIONS =
      Stream.concat(SETTINGS.stream(), WellKnownNames.RECORDS.stream()).toList();

  private UnknownKeys() {}

  /// Returns the problem of the unknown keys, in alphabetical order, labels first.
  public static Optional<ObjectProblem> stray(HasMetadata object) {
    List<String> texts = texts(object);
    return texts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ObjectProblem(
                ObjectRef.to(object), ObjectProblem.INVALID, String.join(" ", texts)));
  }

  /// Returns one sentence for each unknown key, at most [#TOLD].
  static List<String> texts(HasMetadata object) {
    return Stream.concat(
            strays("label", ObjectMetadata.labels(object), LABELS, "annotation", ANNOTATIONS),
            strays("annotation", ObjectMetadata.annotations(object), ANNOTATIONS, "label", LABELS))
        .limit(TOLD)
        .toList();
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
                    Mistakes.shown(entry.getValue()),
                    remedy(entry.getKey(), known, other, there)));
  }

  private static String remedy(String key, List<String> known, String other, List<String> there) {
    return there.contains(key)
        ? " It is supported as %s only."
            .formatted(other.equals("label") ? "a label" : "an annotation")
        : NearestWord.to(bare(key), known.stream().map(UnknownKeys::bare).toList())
            .map(near -> " Did you mean %s%s?".formatted(PREFIX, near))
            .orElse("");
  }

  private static String bare(String key) {
    return key.substring(PREFIX.length());
  }
}
