package dev.muster.server.kube.owner;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Trims owners to what concerns their gangs. An owner has several pod templates, and thousands of
/// complete owners would take gigabytes.
public final class OwnerTrimmer {
  /// Fields of pod templates, and of owners, that state neither size nor requests.
  private static final Set<String> SKIPPED =
      Set.of(
          "affinity",
          "args",
          "command",
          "env",
          "envFrom",
          "hostAliases",
          "lifecycle",
          "livenessProbe",
          "nodeSelector",
          "ports",
          "readinessProbe",
          "securityContext",
          "startupProbe",
          "tolerations",
          "topologySpreadConstraints",
          "volumeClaimTemplates",
          "volumeDevices",
          "volumeMounts",
          "volumes");

  /// Longer texts are no names, kinds or labels.
  private static final int LONGEST_TEXT = 400;

  /// The indexes of a Job that have failed for good, of any length.
  private static final String FAILED = "failedIndexes";

  private OwnerTrimmer() {}

  /// Removes what is not read from the object.
  public static void trim(GenericKubernetesResource owner) {
    Map<String, Object> fields = owner.getAdditionalProperties();
    Optional<Object> failed =
        Optional.ofNullable(fields.remove("status"))
            .flatMap(status ->
                status instanceof Map<?, ?> map
                    ? Optional.ofNullable(map.get(FAILED))
                    : Optional.empty());
    trim(fields);
    failed.ifPresent(indexes -> fields.put("status", Map.of(FAILED, indexes)));
  }

  private static void trim(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      map.entrySet()
          .removeIf(field ->
              SKIPPED.contains(String.valueOf(field.getKey()))
                  || (field.getValue() instanceof String text && text.length() > LONGEST_TEXT));
      map.values().forEach(OwnerTrimmer::trim);
    } else if (value instanceof List<?> list) {
      list.forEach(OwnerTrimmer::trim);
    }
  }
}
