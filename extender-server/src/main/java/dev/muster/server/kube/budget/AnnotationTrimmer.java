package dev.muster.server.kube.budget;

import dev.muster.server.kube.client.ObjectMetadata;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Trims the annotations of an object to those that may be read, each to a length just beyond its
/// limit. Anybody may write 256 KiB of them on each object.
public final class AnnotationTrimmer {
  private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

  /// Field of a trimmed object: bytes of all its annotations, without Muster's records.
  private static final String BYTES = "muster.dev/annotation-bytes";

  private AnnotationTrimmer() {}

  /// Removes the annotations that are not read from the object.
  ///
  /// Those of job controllers state names and numbers, as labels do, so only short ones are kept.
  ///
  /// @param records records that are read on this kind of object, in full length
  public static void trim(HasMetadata object, Set<String> records) {
    ObjectMeta meta = object.getMetadata();
    if (meta.getAnnotations() == null) {
      return;
    }
    meta.setAdditionalProperty(BYTES, MetadataBudget.bytes(meta.getAnnotations()));
    List<Map.Entry<String, String>> read = new ArrayList<>(meta.getAnnotations().entrySet());
    read.removeIf(said -> said.getValue() == null || !isKept(said));
    read.sort(Comparator.comparing(said -> !MetadataBudget.isOfGang(said.getKey())));
    Map<String, String> kept = new LinkedHashMap<>();
    for (Map.Entry<String, String> said : read) {
      boolean record = records.contains(said.getKey());
      if (record || kept.size() <= ObjectBudget.ANNOTATION_ENTRIES) {
        kept.put(said.getKey(), record ? said.getValue() : cut(said.getValue()));
      }
    }
    meta.setAnnotations(kept);
  }

  private static boolean isKept(Map.Entry<String, String> said) {
    return MetadataBudget.isOfGang(said.getKey())
        || (said.getValue().length() <= ObjectBudget.NAME && !said.getKey().equals(LAST_APPLIED));
  }

  private static String cut(String value) {
    return value.length() > ObjectBudget.ANNOTATION
        ? value.substring(0, ObjectBudget.ANNOTATION + 1)
        : value;
  }

  /// Returns the bytes of all annotations without Muster's records, also of a trimmed object.
  static long bytes(HasMetadata object) {
    return object.getMetadata().getAdditionalProperties().get(BYTES) instanceof Long bytes
        ? bytes
        : MetadataBudget.bytes(ObjectMetadata.annotations(object));
  }
}
