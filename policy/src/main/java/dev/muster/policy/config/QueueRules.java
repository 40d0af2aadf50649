package dev.muster.policy.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.admission.Quota;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/// Rules about how the fields of queues must agree, which a schema cannot state.
final class QueueRules {

  private static final String GUARANTEED = "guaranteed";
  private static final String MAXIMUM = "maximum";
  private static final String GPUS = "gpus";
  private static final String MODELS = "models";

  private QueueRules() {}

  /// Returns the broken rules by field. The document may have any shape.
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
            "\"%s\" is already the name of queues[%d]."
                .formatted(queue.path("name").asText(), first));
      }
      twins(queue.path(GUARANTEED), place.appendProperty(GUARANTEED), faults);
      twins(queue.path(MAXIMUM), place.appendProperty(MAXIMUM), faults);
      quotas(queue, place.appendProperty(GUARANTEED), faults);
    }
    return faults;
  }

  /// Reports a name that means exactly the models of an earlier name: both would set one number.
  private static void twins(JsonNode part, JsonPointer place, Map<JsonPointer, String> faults) {
    List<String> before = new ArrayList<>();
    for (Map.Entry<String, JsonNode> model : part.path(MODELS).properties()) {
      String name = model.getKey();
      before.stream()
          .filter(other -> Quota.means(other, name) && Quota.means(name, other))
          .findFirst()
          .ifPresent(other ->
              faults.put(
                  place.appendProperty(MODELS).appendProperty(name),
                  "is equivalent to \"%s\".".formatted(other)));
      before.add(name);
    }
  }

  private static void quotas(JsonNode queue, JsonPointer place, Map<JsonPointer, String> faults) {
    JsonNode guaranteed = queue.path(GUARANTEED);
    JsonNode maximum = queue.path(MAXIMUM);
    if (isCount(guaranteed.path(GPUS)) && isCount(maximum.path(GPUS))) {
      Limit limit = Limit.overall("maximum.gpus", maximum.path(GPUS));
      limit
          .broken(guaranteed.path(GPUS).intValue(), " is")
          .ifPresent(fault -> faults.put(place.appendProperty(GPUS), fault));
    }
    for (Limit limit : limits(guaranteed, maximum)) {
      models(counts(guaranteed.path(MODELS)), limit, place.appendProperty(MODELS), faults);
    }
  }

  private static List<Limit> limits(JsonNode guaranteed, JsonNode maximum) {
    List<Limit> limits = new ArrayList<>();
    if (isCount(maximum.path(GPUS))) {
      limits.add(Limit.overall("maximum.gpus", maximum.path(GPUS)));
    }
    counts(maximum.path(MODELS))
        .forEach((model, most) ->
            limits.add(
                new Limit("maximum.models." + model, most, name -> Quota.means(model, name))));
    if (isCount(guaranteed.path(GPUS))) {
      limits.add(Limit.overall("guaranteed.gpus", guaranteed.path(GPUS)));
    }
    return limits;
  }

  /// Checks against a limit each model alone, then the sum of all models that count towards it.
  private static void models(
      Map<String, Integer> guaranteed,
      Limit limit,
      JsonPointer place,
      Map<JsonPointer, String> faults) {
    Map<String, Integer> counted = new LinkedHashMap<>(guaranteed);
    counted.keySet().removeIf(limit.counts().negate());
    boolean alone = false;
    for (Map.Entry<String, Integer> model : counted.entrySet()) {
      Optional<String> fault = limit.broken(model.getValue(), " is");
      fault.ifPresent(text -> faults.putIfAbsent(place.appendProperty(model.getKey()), text));
      alone |= fault.isPresent();
    }
    if (!alone) {
      limit
          .broken(needed(counted), ",")
          .map(text -> String.join(" and ", counted.keySet()) + " together are " + text)
          .ifPresent(text -> faults.putIfAbsent(place, text));
    }
  }

  /// Returns the fewest GPUs that satisfy all of these guarantees.
  ///
  /// A GPU that counts for `H100-80GB` counts for `H100` too. Names are assumed to mean different
  /// GPUs if neither contains the other.
  private static long needed(Map<String, Integer> guaranteed) {
    Map<String, Integer> left = new LinkedHashMap<>(guaranteed);
    long sum = 0;
    while (!left.isEmpty()) {
      // The shortest name cannot contain another one.
      String widest = Collections.min(left.keySet(), Comparator.comparingInt(String::length));
      int own = Objects.requireNonNull(left.remove(widest));
      Map<String, Integer> within = new LinkedHashMap<>(left);
      within.keySet().removeIf(name -> !Quota.means(widest, name));
      left.keySet().removeAll(within.keySet());
      sum += Math.max(own, needed(within));
    }
    return sum;
  }

  /// Returns the counts by model; values that are not counts are reported elsewhere.
  private static Map<String, Integer> counts(JsonNode models) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> model : models.properties()) {
      if (isCount(model.getValue())) {
        counts.put(model.getKey(), model.getValue().intValue());
      }
    }
    return counts;
  }

  private static boolean isCount(JsonNode node) {
    return node.isIntegralNumber() && node.canConvertToInt() && node.intValue() >= 0;
  }

  /// An upper bound of guarantees.
  ///
  /// @param counts true for names of models that count towards it
  private record Limit(String name, int most, Predicate<String> counts) {

    static Limit overall(String name, JsonNode most) {
      return new Limit(name, most.intValue(), _ -> true);
    }

    Optional<String> broken(long guaranteed, String verb) {
      return guaranteed > most
          ? Optional.of("%d%s more than %s (%d).".formatted(guaranteed, verb, name, most))
          : Optional.empty();
    }
  }
}
