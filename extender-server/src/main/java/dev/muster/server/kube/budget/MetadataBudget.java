package dev.muster.server.kube.budget;

import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Checks labels, annotations and owners of an object against its budget.
final class MetadataBudget {
  /// Prefixes of annotations that are read.
  private static final List<String> PREFIXES =
      List.of(
          "muster.dev/",
          "kueue.x-k8s.io/",
          "kai.scheduler/",
          "scheduling.k8s.io/",
          "scheduling.volcano.sh/");

  /// Muster's own records, which grow with the gang. Their readers have limits of their own.
  static final Set<String> RECORDS = Set.copyOf(WellKnownNames.RECORDS);

  private static final Set<String> NAMES =
      Set.of(WellKnownNames.VOLCANO_GROUP, WellKnownNames.VOLCANO_GROUP_OLD);

  private static final int SHOWN = 5;

  private MetadataBudget() {}

  static void check(HasMetadata object, Excesses found) {
    LargeObjects.refusal(object).ifPresent(found::note);
    ObjectTrimmer.cut(object).forEach(found::cut);
    found.check(
        "field metadata.labels",
        ObjectMetadata.labels(object).size(),
        "entries",
        ObjectBudget.LABELS);
    Map<String, String> annotations = ObjectMetadata.annotations(object);
    annotations.entrySet().stream()
        .filter(said -> isRead(said.getKey()) && said.getValue() != null)
        .filter(said -> said.getValue().length() > most(said.getKey()))
        .sorted(Map.Entry.comparingByKey())
        .limit(SHOWN)
        .forEach(
            said -> found.over("annotation " + said.getKey(), most(said.getKey()), "characters"));
    if (annotations.size() > ObjectBudget.ANNOTATION_ENTRIES) {
      found.over("field metadata.annotations", ObjectBudget.ANNOTATION_ENTRIES, "entries");
    }
    String models = annotations.getOrDefault(WellKnownNames.GPU_MODELS, "");
    found.check(
        "annotation " + WellKnownNames.GPU_MODELS,
        1 + models.chars().filter(sign -> sign == ',').count(),
        "models",
        ObjectBudget.MODELS);
    owners(object, found);
  }

  /// Checks the sum of all annotations, which leaves no space for Muster's records if it is large.
  static void checkAll(HasMetadata object, Excesses found) {
    found.check(
        "field metadata.annotations",
        AnnotationTrimmer.bytes(object),
        "bytes",
        ObjectBudget.ANNOTATIONS);
  }

  /// Returns the bytes of these annotations without Muster's records.
  static long bytes(Map<String, String> annotations) {
    long bytes = 0;
    for (Map.Entry<String, String> said : annotations.entrySet()) {
      if (!RECORDS.contains(said.getKey())) {
        bytes += bytes(said.getKey()) + bytes(said.getValue());
      }
    }
    return bytes;
  }

  private static long bytes(String text) {
    return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static boolean isRead(String key) {
    return !RECORDS.contains(key) && isOfGang(key);
  }

  /// True if the annotation is about a gang: a record, or a wish of any scheduler.
  static boolean isOfGang(String key) {
    return PREFIXES.stream().anyMatch(key::startsWith);
  }

  private static int most(String key) {
    return NAMES.contains(key) ? ObjectBudget.NAME : ObjectBudget.ANNOTATION;
  }

  private static void owners(HasMetadata object, Excesses found) {
    List<OwnerReference> owners =
        Objects.requireNonNullElseGet(object.getMetadata().getOwnerReferences(), List::of);
    found.check("field metadata.ownerReferences", owners.size(), "entries", ObjectBudget.OWNERS);
    longest("apiVersion", OwnerReference::getApiVersion, owners, found);
    longest("kind", OwnerReference::getKind, owners, found);
    longest("name", OwnerReference::getName, owners, found);
    longest("uid", OwnerReference::getUid, owners, found);
  }

  private static void longest(
      String field,
      Function<OwnerReference, @Nullable String> text,
      List<OwnerReference> owners,
      Excesses found) {
    found.check(
        "field metadata.ownerReferences." + field,
        owners.stream()
            .mapToInt(owner -> Objects.requireNonNullElse(text.apply(owner), "").length())
            .max()
            .orElse(0),
        "characters",
        ObjectBudget.NAME);
  }
}
