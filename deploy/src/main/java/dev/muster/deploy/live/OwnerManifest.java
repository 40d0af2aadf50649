package dev.muster.deploy.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.owner.OwnerOutline;
import dev.muster.server.kube.owner.OwnerOutline.PlannedGang;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/// Reads the object of a job controller as the gangs that Muster will form of its pods.
///
/// @param kinds the kinds whose pods form gangs
/// @param accelerators resource names that count as GPUs
record OwnerManifest(OwnerKinds kinds, Collection<String> accelerators) {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();

  /// Kinds that create an owner of the second kind, with the field of its spec.
  private static final Map<String, String> RAY =
      Map.of("RayJob", "rayClusterSpec", "RayService", "rayClusterConfig");

  private static final String RAY_CLUSTER = "RayCluster";
  private static final String TRAIN_JOB = "TrainJob";

  /// Returns the gangs and pods of the object; empty if its pods form none.
  ///
  /// @throws IllegalArgumentException if its pods must state the size of its gang, and do not
  Optional<OwnerOutline> outline(JsonNode object) {
    ObjectNode owner = owner(object);
    return kinds
        .find(owner.path("apiVersion").asText(), owner.path("kind").asText())
        .flatMap(kind -> outline(kind, owner));
  }

  private Optional<OwnerOutline> outline(OwnerKind kind, ObjectNode owner) {
    Optional<String> label = kind.sizeLabel();
    OptionalInt size = label.map(key -> size(owner, key)).orElseGet(OptionalInt::empty);
    Optional<OwnerOutline> outline =
        OwnerOutline.of(
            kind,
            Objects.requireNonNull(YAML.convertValue(owner, GenericKubernetesResource.class)),
            accelerators,
            size);
    if (outline.isPresent() && label.isPresent() && size.isEmpty()) {
      throw new IllegalArgumentException(
          "The pod templates of the %s %s have no label or annotation %s, so the size of its gang is not known."
              .formatted(kind.api().kind(), owner.at("/metadata/name").asText(), label.get()));
    }
    return outline;
  }

  /// Returns the size that a pod template of the object states.
  private static OptionalInt size(ObjectNode owner, String key) {
    ObjectNode templates = owner.deepCopy();
    templates.remove("metadata");
    return templates.findValues("metadata").stream()
        .flatMap(metadata -> Stream.of(metadata.path("labels"), metadata.path("annotations")))
        .map(said -> said.path(key).asText().strip())
        .filter(text -> text.matches("[1-9]\\d{0,5}"))
        .mapToInt(Integer::parseInt)
        .findFirst();
  }

  /// Returns the owner that the object creates, or the object itself.
  private static ObjectNode owner(JsonNode object) {
    String field = RAY.get(object.path("kind").asText());
    ObjectNode owner = object.deepCopy();
    if (field != null) {
      owner.put("kind", RAY_CLUSTER);
      owner.set("spec", object.path("spec").path(field));
    }
    return owner;
  }

  /// Returns why the pods of the object cannot be told; empty if they can.
  static Optional<String> unreadable(JsonNode object) {
    if (!object.path("kind").asText().equals(TRAIN_JOB)) {
      return Optional.empty();
    }
    String name = object.at("/metadata/name").asText();
    return Optional.of(
        "the pods of the TrainJob %s are stated by its runtime %s. Ask about the JobSet that Trainer makes, with another metadata.name: kubectl get jobset %s -o yaml."
            .formatted(name, object.at("/spec/runtimeRef/name").asText(), name));
  }

  /// Returns the PodGroup that Muster will write.
  static ObjectNode podGroup(PlannedGang gang, String namespace) {
    ObjectNode group =
        JsonNodeFactory.instance
            .objectNode()
            .put("apiVersion", "scheduling.x-k8s.io/v1alpha1")
            .put("kind", "PodGroup");
    ObjectNode metadata = group.withObject("/metadata");
    metadata.put("name", gang.name()).put("namespace", namespace);
    gang.labels().forEach((key, value) -> metadata.withObject("/labels").put(key, value));
    gang.annotations().forEach((key, value) -> metadata.withObject("/annotations").put(key, value));
    group.withObject("/spec").put("minMember", gang.minimum());
    return group;
  }
}
