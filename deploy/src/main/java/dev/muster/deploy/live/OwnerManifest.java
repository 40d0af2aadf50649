package dev.muster.deploy.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.owner.OwnerOutline;
import dev.muster.server.kube.owner.OwnerOutline.PlannedGang;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

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
  Optional<OwnerOutline> outline(JsonNode object) {
    ObjectNode owner = owner(object);
    return kinds
        .find(owner.path("apiVersion").asText(), owner.path("kind").asText())
        .flatMap(kind ->
            OwnerOutline.of(
                kind,
                Objects.requireNonNull(YAML.convertValue(owner, GenericKubernetesResource.class)),
                accelerators));
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
        "the pods of the TrainJob %s are stated by its runtime %s. Ask about the JobSet that Trainer makes: kubectl get jobset %s -o yaml."
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
