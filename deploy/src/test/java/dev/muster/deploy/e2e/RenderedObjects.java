package dev.muster.deploy.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The objects of the chart or of a kustomization, without the differences that both tools make.
final class RenderedObjects {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();
  private static final Pattern DOCUMENT_END = Pattern.compile("(?m)^---\\s*$");

  private RenderedObjects() {}

  /// Reads what `helm template` printed, by kind, namespace and name.
  static Map<String, JsonNode> ofChart(String text) {
    var objects = new TreeMap<String, JsonNode>();
    DOCUMENT_END
        .splitAsStream(text)
        .filter(document -> !document.isBlank())
        .map(document -> YAML.unmarshal(document))
        .filter(HasMetadata.class::isInstance)
        .forEach(object -> put(objects, HasMetadata.class.cast(object)));
    return objects;
  }

  /// Reads what `kubectl kustomize` builds from these folders of `deploy`. Helm makes the namespace
  /// itself.
  static Map<String, JsonNode> ofKustomizations(List<String> folders) {
    var objects = new TreeMap<String, JsonNode>();
    for (String folder : folders) {
      JsonNode images = ShippedFiles.tree(folder + "/kustomization.yaml").path("images");
      for (HasMetadata object : ShippedFiles.edited(folder)) {
        if (!object.getKind().equals("Namespace")) {
          put(objects, object);
        }
      }
      tag(objects, images);
    }
    tag(objects, ShippedFiles.tree("manifests/server/kustomization.yaml").path("images"));
    return objects;
  }

  private static JsonNode read(String yaml) {
    return Objects.requireNonNull(YAML.unmarshal(yaml, JsonNode.class));
  }

  private static void put(Map<String, JsonNode> objects, HasMetadata typed) {
    ObjectNode object = (ObjectNode) read(YAML.asYaml(typed));
    JsonNode metadata = object.path("metadata");
    String kind = object.path("kind").asText();
    String key =
        kind + " " + metadata.path("namespace").asText() + "/" + metadata.path("name").asText();
    if (kind.equals("ConfigMap")) {
      // The tools write comments and labels in their own way. The content counts.
      ((ObjectNode) metadata).remove("labels");
      ObjectNode data = object.withObject("/data");
      for (var entry : data.properties()) {
        entry.setValue(read(entry.getValue().asText()));
      }
    }
    JsonNode template = object.at("/spec/template/metadata");
    if (template instanceof ObjectNode fields) {
      fields.remove("annotations"); // Helm replaces the pod by this, kustomize by a new name.
    }
    if (objects.put(key, object) != null) {
      throw new IllegalStateException("There are two objects " + key);
    }
  }

  private static void tag(Map<String, JsonNode> objects, JsonNode images) {
    for (JsonNode object : objects.values()) {
      for (JsonNode container : object.at("/spec/template/spec/containers")) {
        for (JsonNode image : images) {
          if (image.path("name").equals(container.path("image"))) {
            String tagged = image.path("name").asText() + ":" + image.path("newTag").asText();
            ((ObjectNode) container).put("image", tagged);
          }
        }
      }
    }
  }
}
