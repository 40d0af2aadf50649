package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.muster.server.kube.watch.TrimmedStore;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every field of the objects of tenants, filled with as much as fits.
class FatObjectTest {
  private static final ObjectMapper PLAIN = new ObjectMapper();
  private static final int ENTRIES = 20_000;

  /// Characters of all texts and names in an object, with 32 for each text, list, map and object.
  private static final long MOST = 450_000;

  /// The step of a path from a list to its first entry.
  private static final String ENTRY = "0";

  /// One field of a kind.
  ///
  /// @param path names of the fields that lead to it
  record Field(Class<? extends HasMetadata> kind, List<String> path, JavaType type) {
    @Override
    public String toString() {
      return kind.getSimpleName() + " " + String.join(".", path);
    }
  }

  static Stream<Field> fields() {
    List<Field> all = new ArrayList<>();
    for (Class<? extends HasMetadata> kind :
        List.of(Pod.class, Namespace.class, ResourceClaim.class, ResourceClaimTemplate.class)) {
      add(kind, List.of(), TypeFactory.defaultInstance().constructType(kind), all, new HashSet<>());
    }
    return all.stream();
  }

  /// Adds the lists, maps and texts in objects of the type, each type once in each part.
  private static void add(
      Class<? extends HasMetadata> kind,
      List<String> path,
      JavaType type,
      List<Field> all,
      Set<String> known) {
    if (!known.add(type.getRawClass() + " in " + path.stream().limit(1).toList())) {
      return;
    }
    for (BeanPropertyDefinition property :
        PLAIN.getDeserializationConfig().introspect(type).findProperties()) {
      JavaType of = property.getPrimaryType();
      List<String> below = Stream.concat(path.stream(), Stream.of(property.getName())).toList();
      if (of.isContainerType() || of.hasRawClass(String.class)) {
        all.add(new Field(kind, below, of));
      }
      if (of.isCollectionLikeType() && isModel(of.getContentType())) {
        add(
            kind,
            Stream.concat(below.stream(), Stream.of(ENTRY)).toList(),
            of.getContentType(),
            all,
            known);
      } else if (isModel(of)) {
        add(kind, below, of, all, known);
      }
    }
  }

  private static boolean isModel(JavaType type) {
    return type.getRawClass().getName().startsWith("io.fabric8.kubernetes.api.model")
        && !type.isEnumType()
        && !type.hasRawClass(Quantity.class);
  }

  @ParameterizedTest
  @MethodSource("fields")
  void no_field_makes_an_object_large(Field field) throws IOException {
    JsonNode kept = PLAIN.valueToTree(kept(json(field), field.kind()));

    assertThat(size(kept)).isLessThan(MOST);
  }

  private static byte[] json(Field field) throws IOException {
    ObjectNode object = PLAIN.createObjectNode();
    object.putObject("metadata").put("name", "p").put("namespace", "ns").put("uid", "u");
    object.putObject("spec");
    JsonNode at = object;
    for (int i = 0; i < field.path().size() - 1; i++) {
      at = step(at, field.path().get(i), field.path().get(i + 1).equals(ENTRY));
    }
    ((ObjectNode) at).set(field.path().getLast(), fat(field.type()));
    return PLAIN.writeValueAsBytes(object);
  }

  private static JsonNode step(JsonNode at, String name, boolean toList) {
    JsonNode next = toList ? PLAIN.createArrayNode() : PLAIN.createObjectNode();
    return switch (at) {
      case ArrayNode list -> list.add(next).get(0);
      case ObjectNode known when known.has(name) -> known.get(name);
      default -> ((ObjectNode) at).set(name, next).get(name);
    };
  }

  private static JsonNode fat(JavaType type) {
    if (type.isMapLikeType()) {
      ObjectNode map = PLAIN.createObjectNode();
      for (int i = 0; i < ENTRIES; i++) {
        map.set("k" + i, small(type.getContentType()));
      }
      return map;
    }
    if (type.isContainerType()) {
      var list = PLAIN.createArrayNode();
      for (int i = 0; i < ENTRIES; i++) {
        list.add(small(type.getContentType()));
      }
      return list;
    }
    return PLAIN.getNodeFactory().textNode("x".repeat(50 * ENTRIES));
  }

  private static JsonNode small(JavaType type) {
    return isModel(type)
        ? PLAIN.createObjectNode().put("name", "a")
        : PLAIN.getNodeFactory().textNode("1");
  }

  /// Returns what the stores keep of an object.
  private static <T extends HasMetadata> T kept(byte[] json, Class<T> type) throws IOException {
    try (JsonParser parser = ObjectTrimmer.mapper().createParser(json)) {
      T object = ObjectTrimmer.read(parser, type, ObjectTrimmer.selection(type));
      store(type).put("ns/p", object);
      return object;
    }
  }

  @SuppressWarnings("unchecked") // the store of pods takes pods
  private static <T extends HasMetadata> TrimmedStore<T> store(Class<T> type) {
    return type.equals(Pod.class) ? (TrimmedStore<T>) TrimmedStore.ofPods() : TrimmedStore.of();
  }

  private static long size(JsonNode node) {
    long size = 32L + (node.isTextual() ? node.textValue().length() : 0);
    for (JsonNode child : node) {
      size += size(child);
    }
    for (var names = node.fieldNames(); names.hasNext(); ) {
      size += names.next().length();
    }
    return size;
  }
}
