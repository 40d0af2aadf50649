package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A job of `deploy/examples/operators` in a test cluster, which may be changed before it is made.
record SampleJob(KubernetesClient client, ObjectNode tree) {
  /// Reads the last object of a file of this folder.
  static SampleJob of(KubernetesClient client, String file) {
    List<JsonNode> documents = ShippedFiles.documents("examples/operators/" + file);
    ObjectNode tree = (ObjectNode) documents.getLast();
    tree.withObject("/metadata").put("namespace", "default");
    return new SampleJob(client, tree);
  }

  /// Sets a field, before the job is created.
  SampleJob with(String pointer, Object value) {
    JsonPointer field = JsonPointer.compile(pointer);
    JsonNode node = client.getKubernetesSerialization().convertValue(value, JsonNode.class);
    ((ObjectNode) tree.at(field.head())).set(field.last().getMatchingProperty(), node);
    return this;
  }

  /// Sets an annotation on all pods, by their templates.
  SampleJob annotatePods(String name, String value) {
    templates(tree).forEach(pod -> pod.withObject("/metadata/annotations").put(name, value));
    return this;
  }

  /// Sets an annotation on the pods of one template, by its path.
  SampleJob annotate(String template, String name, String value) {
    ((ObjectNode) tree.at(template)).withObject("/metadata/annotations").put(name, value);
    return this;
  }

  /// Sets a label on all pods, by their templates.
  SampleJob labelPods(String name, String value) {
    templates(tree).forEach(pod -> pod.withObject("/metadata/labels").put(name, value));
    return this;
  }

  /// The pod templates: the objects whose spec has containers.
  private static List<ObjectNode> templates(JsonNode node) {
    if (node instanceof ObjectNode object && object.at("/spec/containers") instanceof ArrayNode) {
      return List.of(object);
    }
    return node.valueStream().flatMap(child -> templates(child).stream()).toList();
  }

  HasMetadata object() {
    return client.getKubernetesSerialization().unmarshal(tree.toString());
  }

  /// Creates the job. The API server refuses a field that it does not know.
  void create() {
    client.resource(object()).fieldValidation(Validation.STRICT).create();
  }

  /// Sets a field of the created job, such as `/spec/suspend`.
  void change(String pointer, Object value) {
    List<?> patch = List.of(Map.of("op", "add", "path", pointer, "value", value));
    client
        .resource(object())
        .patch(PatchContext.of(PatchType.JSON), client.getKubernetesSerialization().asJson(patch));
  }

  /// Waits until the job says that this is so, such as `Completed`.
  void awaitCondition(String type) {
    await(tree.at("/metadata/name").asText() + " " + type)
        .atMost(TestCluster.WAIT)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> isTrue(type));
  }

  private boolean isTrue(String type) {
    HasMetadata now = Objects.requireNonNull(client.resource(object()).get());
    JsonNode read = client.getKubernetesSerialization().convertValue(now, JsonNode.class);
    return read.at("/status/conditions")
        .valueStream()
        .anyMatch(condition ->
            condition.path("type").asText().equals(type)
                && condition.path("status").asText().equals("True"));
  }

  /// Deletes the job. Its controller or the garbage collector then deletes its pods.
  void delete() {
    client.resource(object()).delete();
  }
}
