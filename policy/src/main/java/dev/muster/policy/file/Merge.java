package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.policy.yaml.FileProblem;
import dev.muster.policy.yaml.ShownValue;
import dev.muster.policy.yaml.YamlDocument;
import dev.muster.policy.yaml.YamlDocument.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Merges several documents into one.
///
/// - **Goals:** the meaning of a file does not depend on the others; no file silently overrides
///   another.
/// - **Constraints:** every field keeps the place where it was written.
/// - **Algorithm:** goes through the files in their order. Mappings are joined field by field. A
///   list with `"x-continued": true` in the schema is continued by the next file's. The names of
///   its items are unique over all files. Any other field may be set in one file only.
/// - **Example:** `rules` of `10-a.yaml` come before those of `20-b.yaml`; `mode` in both is a
///   problem of `20-b.yaml` that names the line in `10-a.yaml`.
final class Merge {
  /// The schema keyword of lists that several files may add to.
  static final String CONTINUED = "x-continued";

  private final SchemaText schema;
  private final ObjectNode root = JsonNodeFactory.instance.objectNode();
  private final Map<JsonPointer, Place> places = new HashMap<>();
  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, Place> names = new HashMap<>();
  private final List<FileProblem> problems = new ArrayList<>();

  private Merge(SchemaText schema) {
    this.schema = schema;
  }

  /// Merges at least one document; the problems of the result are the conflicts only.
  static YamlDocument of(List<YamlDocument> documents, SchemaText schema) {
    Merge merge = new Merge(schema);
    documents.forEach(merge::add);
    String first = documents.getFirst().file();
    return new YamlDocument(first, merge.root, merge.places, merge.texts, merge.problems);
  }

  private void add(YamlDocument document) {
    texts.putAll(document.texts());
    Place whole = document.places().get(JsonPointer.empty());
    if (whole != null) {
      places.putIfAbsent(JsonPointer.empty(), whole);
    }
    join(document, JsonPointer.empty(), root);
  }

  private void join(YamlDocument document, JsonPointer at, ObjectNode into) {
    for (Map.Entry<String, JsonNode> field : document.root().at(at).properties()) {
      JsonPointer pointer = at.appendProperty(field.getKey());
      JsonNode there = into.path(field.getKey());
      if (there.isMissingNode() && !isContinued(pointer)) {
        into.set(field.getKey(), field.getValue());
        keepPlaces(document, pointer, pointer);
      } else if (isContinued(pointer)) {
        extend(document, pointer, into);
      } else if (there instanceof ObjectNode both && field.getValue().isObject()) {
        join(document, pointer, both);
      } else if (!isHeader(pointer)) {
        conflict(document, pointer);
      }
    }
  }

  private boolean isContinued(JsonPointer pointer) {
    JsonNode field = schema.at(JsonPointer.compile("/properties" + pointer));
    return field.path(CONTINUED).asBoolean();
  }

  private static boolean isHeader(JsonPointer pointer) {
    return pointer.matchesProperty("apiVersion") || pointer.matchesProperty("kind");
  }

  private void extend(YamlDocument document, JsonPointer pointer, ObjectNode into) {
    ArrayNode list = into.withArray(pointer.last().getMatchingProperty());
    places.putIfAbsent(pointer, place(document, pointer));
    int index = 0;
    for (JsonNode item : document.root().at(pointer)) {
      JsonPointer from = pointer.appendIndex(index);
      claimName(document, pointer, from.appendProperty("name"));
      keepPlaces(document, from, pointer.appendIndex(list.size()));
      list.add(item);
      index++;
    }
  }

  private void claimName(YamlDocument document, JsonPointer list, JsonPointer name) {
    JsonNode value = document.root().at(name);
    if (!value.isTextual()) {
      return;
    }
    Place here = place(document, name);
    Place first = names.putIfAbsent(list + " " + value.asText(), here);
    if (first != null) {
      String message =
          "%s is already the name of %s.".formatted(ShownValue.of(value), spoken(first));
      problems.add(document.atValue(name, message));
    }
  }

  private void conflict(YamlDocument document, JsonPointer pointer) {
    Place first = places.get(pointer);
    String message =
        "is already set, at %s. Files do not override each other."
            .formatted(first == null ? "another place" : spoken(first));
    problems.add(document.atKey(pointer, message));
  }

  private static String spoken(Place place) {
    return "%s in %s:%d:%d"
        .formatted(place.field(), place.file(), place.value().line(), place.value().column());
  }

  private void keepPlaces(YamlDocument document, JsonPointer from, JsonPointer to) {
    places.put(to, place(document, from));
    JsonNode value = document.root().at(from);
    for (Map.Entry<String, JsonNode> field : value.properties()) {
      keepPlaces(document, from.appendProperty(field.getKey()), to.appendProperty(field.getKey()));
    }
    for (int i = 0; value.isArray() && i < value.size(); i++) {
      keepPlaces(document, from.appendIndex(i), to.appendIndex(i));
    }
  }

  private static Place place(YamlDocument document, JsonPointer pointer) {
    Place known = document.places().get(pointer);
    return known == null
        ? new Place(document.file(), "", YamlDocument.Spot.START, YamlDocument.Spot.START)
        : known;
  }
}
