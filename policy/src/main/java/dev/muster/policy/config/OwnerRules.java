package dev.muster.policy.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/// Rules about how the fields of owners must agree, which a schema cannot state.
final class OwnerRules {
  private OwnerRules() {}

  /// Returns the broken rules by field. The document may have any shape.
  static Map<JsonPointer, String> faults(JsonNode document) {
    Map<JsonPointer, String> faults = new LinkedHashMap<>();
    Map<String, Integer> firsts = new HashMap<>();
    JsonNode owners = document.path("owners");
    for (int i = 0; i < owners.size(); i++) {
      JsonNode owner = owners.path(i);
      JsonPointer place = JsonPointer.compile("/owners").appendIndex(i);
      if (owner.isObject() && owner.has("sizeField") == owner.has("sizeLabel")) {
        faults.put(
            place,
            owner.has("sizeField")
                ? "has sizeField and sizeLabel. One of them must state the number of pods."
                : "has neither sizeField nor sizeLabel. One of them must state the number of pods.");
      }
      Integer first = firsts.putIfAbsent(owner.path("kind").asText(), i);
      if (first != null && owner.path("kind").isTextual()) {
        faults.put(
            place.appendProperty("kind"),
            "\"%s\" is already the kind of owners[%d]."
                .formatted(owner.path("kind").asText(), first));
      }
    }
    return faults;
  }
}
