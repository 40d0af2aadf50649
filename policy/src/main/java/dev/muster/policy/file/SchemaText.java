package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.policy.yaml.FieldPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A JSON Schema as a tree, for facts that a validator does not expose.
///
/// These are the known fields, the remedies and the defaults. Follows `properties`, `items` and
/// `$ref` within the schema; the schema must not be recursive.
record SchemaText(JsonNode root) {

  /// Reads the schema beside `type`.
  ///
  /// @throws IllegalArgumentException if there is no such resource
  static SchemaText beside(Class<?> type, String resource) {
    try (InputStream in = type.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalArgumentException(
            "There is no schema " + resource + " beside " + type.getName() + " on the class path.");
      }
      return new SchemaText(new ObjectMapper().readTree(in));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /// Returns the part of the schema at `pointer`; a missing node if there is none.
  JsonNode at(JsonPointer pointer) {
    return root.at(pointer);
  }

  /// Returns the names of the fields that `schema` knows, in the order of the schema.
  static List<String> fields(JsonNode schema) {
    return schema.path("properties").propertyStream().map(Map.Entry::getKey).toList();
  }

  /// Returns the paths of all fields named `name`, outermost first as the schema lists them.
  List<String> pathsOf(String name) {
    List<String> paths = new ArrayList<>();
    collect(root, "", name, paths);
    return paths;
  }

  private void collect(JsonNode schema, String path, String name, List<String> found) {
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      String child = FieldPath.child(path, property.getKey());
      if (property.getKey().equals(name)) {
        found.add(child);
      }
      JsonNode below = resolved(property.getValue());
      collect(below, child, name, found);
      collect(resolved(below.path("items")), child + "[]", name, found);
    }
  }

  /// Adds the default of every field that `value` leaves out, also below the added ones.
  void fillDefaults(ObjectNode value) {
    fill(root, value);
  }

  private void fill(JsonNode schema, JsonNode value) {
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
        fillField(property, object);
      }
    } else if (value.isArray()) {
      value.forEach(item -> fill(resolved(schema.path("items")), item));
    }
  }

  private void fillField(Map.Entry<String, JsonNode> property, ObjectNode object) {
    JsonNode schema = resolved(property.getValue());
    // A default beside $ref belongs to this use of the definition, so it wins.
    JsonNode standard = property.getValue().path("default");
    if (!object.has(property.getKey()) && !standard.isMissingNode()) {
      object.set(property.getKey(), standard.deepCopy());
    }
    fill(schema, object.path(property.getKey()));
  }

  private JsonNode resolved(JsonNode schema) {
    String reference = schema.path("$ref").asText();
    return reference.startsWith("#/") ? root.at(reference.substring(1)) : schema;
  }
}
