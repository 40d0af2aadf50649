package dev.muster.server.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/// Copies of an object in which one field is missing, null, empty or of another type.
///
/// What identifies the object stays, since the API server always states it.
public final class DamagedFields {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> IDENTITY =
      Set.of("/metadata", "/metadata/name", "/metadata/namespace", "/metadata/uid");
  private static final List<String> OTHERS =
      List.of(
          "null",
          "\"\"",
          "\"x\"",
          "-1",
          "9999999999999",
          "{}",
          "[]",
          "[null]",
          "[{}]",
          "{\"a\":null}");

  private DamagedFields() {}

  /// Gives each copy to the reader, with the pointer to the damage.
  public static void tryAll(String object, BiConsumer<String, byte[]> reader) throws IOException {
    List<String> pointers = new ArrayList<>();
    collect(JSON.readTree(object), "", pointers);
    pointers.removeAll(IDENTITY);
    for (String pointer : pointers) {
      JsonNode without = JSON.readTree(object);
      remove(without, pointer);
      reader.accept(pointer + " is missing", JSON.writeValueAsBytes(without));
      for (String other : OTHERS) {
        JsonNode with = JSON.readTree(object);
        set(with, pointer, JSON.readTree(other));
        reader.accept(pointer + " is " + other, JSON.writeValueAsBytes(with));
      }
    }
  }

  private static void collect(JsonNode node, String pointer, List<String> pointers) {
    if (!pointer.isEmpty()) {
      pointers.add(pointer);
    }
    node.properties()
        .forEach(
            field -> collect(field.getValue(), pointer + "/" + escaped(field.getKey()), pointers));
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      collect(node.get(i), pointer + "/" + i, pointers);
    }
  }

  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }

  private static String last(String pointer) {
    String name = pointer.substring(pointer.lastIndexOf('/') + 1);
    return name.replace("~1", "/").replace("~0", "~");
  }

  private static JsonNode parent(JsonNode root, String pointer) {
    return root.at(pointer.substring(0, pointer.lastIndexOf('/')));
  }

  private static void remove(JsonNode root, String pointer) {
    switch (parent(root, pointer)) {
      case ObjectNode object -> object.remove(last(pointer));
      case ArrayNode list -> list.remove(Integer.parseInt(last(pointer)));
      default -> throw new AssertionError(pointer);
    }
  }

  private static void set(JsonNode root, String pointer, JsonNode value) {
    switch (parent(root, pointer)) {
      case ObjectNode object -> object.set(last(pointer), value);
      case ArrayNode list -> list.set(Integer.parseInt(last(pointer)), value);
      default -> throw new AssertionError(pointer);
    }
  }
}
