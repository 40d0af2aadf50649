package dev.muster.policy.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** How the fields of queues must agree. */
final class QueueRules {

  private static final String GUARANTEED = "guaranteed";
  private static final String MAXIMUM = "maximum";
  private static final String GPUS = "gpus";
  private static final String MODELS = "models";

  private QueueRules() {}

  /** What is wrong, by the field to name; the document may be of any shape. */
  static Map<JsonPointer, String> faults(JsonNode document) {
    Map<JsonPointer, String> faults = new LinkedHashMap<>();
    Map<String, Integer> firsts = new HashMap<>();
    JsonNode queues = document.path("queues");
    for (int i = 0; i < queues.size(); i++) {
      JsonNode queue = queues.path(i);
      JsonPointer place = JsonPointer.compile("/queues").appendIndex(i);
      Integer first = firsts.putIfAbsent(queue.path("name").asText(), i);
      if (first != null && queue.path("name").isTextual()) {
        faults.put(
            place.appendProperty("name"),
            "\"%s\" is the name of queues[%d] already. Maybe remove one of them."
                .formatted(queue.path("name").asText(), first));
      }
      quotas(queue, place.appendProperty(GUARANTEED), faults);
    }
    return faults;
  }

  private static void quotas(JsonNode queue, JsonPointer place, Map<JsonPointer, String> faults) {
    JsonNode guaranteed = queue.path(GUARANTEED);
    JsonNode maximum = queue.path(MAXIMUM);
    compare(guaranteed.path(GPUS), maximum.path(GPUS), "maximum.gpus")
        .accept(faults, place.appendProperty(GPUS));
    for (Map.Entry<String, JsonNode> model : guaranteed.path(MODELS).properties()) {
      String name = model.getKey();
      JsonPointer at = place.appendProperty(MODELS).appendProperty(name);
      compare(model.getValue(), maximum.path(GPUS), "maximum.gpus").accept(faults, at);
      compare(model.getValue(), maximum.path(MODELS).path(name), "maximum.models." + name)
          .accept(faults, at);
    }
  }

  @FunctionalInterface
  private interface Outcome {
    void accept(Map<JsonPointer, String> faults, JsonPointer place);
  }

  private static Outcome compare(JsonNode guaranteed, JsonNode maximum, String limit) {
    return (faults, place) -> {
      if (guaranteed.isIntegralNumber()
          && maximum.isIntegralNumber()
          && guaranteed.bigIntegerValue().compareTo(maximum.bigIntegerValue()) > 0) {
        faults.put(
            place,
            "%s is more than %s (%s). Maybe they are swapped."
                .formatted(guaranteed.asText(), limit, maximum.asText()));
      }
    };
  }
}
