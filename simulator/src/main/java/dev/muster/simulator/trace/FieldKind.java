package dev.muster.simulator.trace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.file.Row;
import java.util.Map;

/// What the value of a field in our own traces may be. Jackson takes a value of another kind for
/// nothing, so that it would be dropped without a word.
enum FieldKind {
  PLAIN("a text or a number"),
  INTEGER("a whole number, or too large"),
  FLAG("true or false"),
  OBJECT("an object"),
  LIST("a list");

  private static final Map<String, FieldKind> OTHERS =
      Map.of(
          "priority", INTEGER,
          "one_per_node", FLAG,
          "mixed", FLAG,
          "resources", OBJECT,
          "node_selector", OBJECT,
          "models", LIST,
          "node_affinity", LIST,
          "tolerations", LIST);

  private final String shown;

  FieldKind(String shown) {
    this.shown = shown;
  }

  private boolean is(JsonNode value) {
    return switch (this) {
      case PLAIN -> value.isTextual() || value.isNumber();
      case INTEGER -> value.isIntegralNumber() && value.canConvertToInt();
      case FLAG -> value.isBoolean();
      case OBJECT -> value.isObject();
      case LIST -> value.isArray();
    };
  }

  /// Refuses a value of another kind than that of the field; `null` is as good as no value.
  static void check(Row row, String field, JsonNode value) {
    FieldKind kind = OTHERS.getOrDefault(field, PLAIN);
    if (!value.isNull() && !kind.is(value)) {
      throw row.fault(field, "%s is not %s.".formatted(value, kind.shown));
    }
  }
}
