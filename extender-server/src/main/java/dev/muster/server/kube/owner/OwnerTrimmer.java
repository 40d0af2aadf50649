package dev.muster.server.kube.owner;

import dev.muster.server.kube.client.ObjectTrimmer;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Trims owners to what concerns their gangs. An owner has several pod templates, and thousands of
/// complete owners would take gigabytes.
public final class OwnerTrimmer {
  /// Longer texts are no names, kinds or labels.
  private static final int LONGEST_TEXT = 400;

  /// The fields of a Job's status about pods that ended for good; the indexes are of any length.
  private static final Set<String> OVER = Set.of("completedIndexes", "failedIndexes", "succeeded");

  private OwnerTrimmer() {}

  /// Removes what is not read from the object.
  public static void trim(GenericKubernetesResource owner) {
    Map<String, Object> fields = owner.getAdditionalProperties();
    Map<String, Object> over = new HashMap<>();
    if (fields.remove("status") instanceof Map<?, ?> status) {
      OVER.forEach(name -> {
        Object value = status.get(name);
        if (value != null) {
          over.put(name, value);
        }
      });
    }
    trim(fields);
    if (!over.isEmpty()) {
      fields.put("status", over);
    }
  }

  /// Removes what is not read from an object that creates pods of an owner. There may be hundreds
  /// of them for one owner.
  public static void trimMaker(GenericKubernetesResource maker) {
    trim(maker);
    if (maker.getAdditionalProperties().get("spec") instanceof Map<?, ?> spec) {
      spec.remove("template");
    }
  }

  private static void trim(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      map.entrySet()
          .removeIf(field ->
              ObjectTrimmer.UNREAD.contains(String.valueOf(field.getKey()))
                  || (field.getValue() instanceof String text && text.length() > LONGEST_TEXT));
      map.values().forEach(OwnerTrimmer::trim);
    } else if (value instanceof List<?> list) {
      list.forEach(OwnerTrimmer::trim);
    }
  }
}
