package dev.muster.server.kube.owner;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Trims owners to what concerns their gangs. Thousands of owners with long texts would take
/// gigabytes.
public final class OwnerTrimmer {
  /// Longer texts are no names, kinds or labels.
  private static final int LONGEST_TEXT = 400;

  private OwnerTrimmer() {}

  /// Removes long texts from an owner, or from an object that creates its pods. The indexes of pods
  /// in a status are of any length. Of those that completed, only the first is read.
  public static void trim(GenericKubernetesResource object) {
    object
        .getAdditionalProperties()
        .forEach((name, value) -> trim(name.equals("status") ? null : value));
    if (object.getAdditionalProperties().get("status") instanceof Map<?, ?> status) {
      shorten(status);
    }
  }

  @SuppressWarnings("unchecked") // a text is replaced by a text
  private static void shorten(Map<?, ?> status) {
    ((Map<String, Object>) status)
        .computeIfPresent(
            "completedIndexes",
            (_, all) ->
                all instanceof String text && text.length() > LONGEST_TEXT
                    ? text.substring(0, LONGEST_TEXT)
                    : all);
  }

  private static void trim(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      map.values().removeIf(field -> field instanceof String text && text.length() > LONGEST_TEXT);
      map.values().forEach(OwnerTrimmer::trim);
    } else if (value instanceof List<?> list) {
      list.forEach(OwnerTrimmer::trim);
    }
  }
}
