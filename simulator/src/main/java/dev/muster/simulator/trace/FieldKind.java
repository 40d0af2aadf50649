package dev.muster.simulator.trace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.file.InputRow;
import java.util.Map;

/// The permitted kind of a field's value in Muster's own traces.
///
/// Jackson reads a value of another kind as missing, so it would be dropped without an error.
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
          "tolerations", LIST,
          "preferred_affinity", LIST);

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

  /// Rejects a value of another kind than the field's; `null` counts as missing.
  static void check(InputRow row, String field, JsonNode value) {
    FieldKind kind = OTHERS.getOrDefault(field, PLAIN);
    if (!value.isNull() && !kind.is(value)) {
      throw row.fault(field, "%s is not %s.".formatted(value, kind.shown));
    }
  }
}
