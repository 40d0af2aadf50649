package dev.muster.policy.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.policy.file.Durations;
import dev.muster.policy.file.NearestWord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Rules about how the fields of budgets must agree, which a schema cannot state.
final class BudgetRules {
  private static final String QUEUE = "queue";
  private static final String PROJECT = "project";
  private static final String PERIOD = "period";

  private BudgetRules() {}

  /// Returns the broken rules by field. The document may have any shape.
  static Map<JsonPointer, String> faults(JsonNode document) {
    Map<JsonPointer, String> faults = new LinkedHashMap<>();
    Map<String, Integer> firsts = new HashMap<>();
    JsonNode budgets = document.path("budgets");
    for (int i = 0; i < budgets.size(); i++) {
      JsonNode budget = budgets.path(i);
      JsonPointer place = JsonPointer.compile("/budgets").appendIndex(i);
      if (budget.isObject() && budget.has(QUEUE) == budget.has(PROJECT)) {
        faults.put(
            place,
            budget.has(QUEUE)
                ? "has queue and project. A budget is for one of them."
                : "has neither queue nor project. A budget is for one of them.");
      }
      known(budget.path(QUEUE), document.path("queues"))
          .ifPresent(fault -> faults.put(place.appendProperty(QUEUE), fault));
      String key =
          String.join("/", text(budget, QUEUE), text(budget, PROJECT), text(budget, PERIOD));
      Integer first = firsts.putIfAbsent(key, i);
      if (first != null && budget.has(QUEUE) != budget.has(PROJECT)) {
        faults.put(
            place.appendProperty(PERIOD),
            "\"%s\" is already the period of budgets[%d], which is for the same."
                .formatted(text(budget, PERIOD), first));
      } else {
        kept(text(budget, PERIOD), document.at("/usage/keepFor"))
            .ifPresent(fault -> faults.put(place.appendProperty(PERIOD), fault));
      }
    }
    return faults;
  }

  private static String text(JsonNode budget, String field) {
    return budget.path(field).asText();
  }

  /// Returns what is wrong with the name of a queue. Without queues, every name is one.
  private static Optional<String> known(JsonNode name, JsonNode queues) {
    List<String> names = new ArrayList<>();
    queues.forEach(queue -> names.add(text(queue, "name")));
    if (!name.isTextual() || names.isEmpty() || names.contains(name.asText())) {
      return Optional.empty();
    }
    return Optional.of(
        "\"%s\" is not among queues.%s"
            .formatted(
                name.asText(),
                NearestWord.to(name.asText(), names)
                    .map(" Did you mean \"%s\"?"::formatted)
                    .orElse("")));
  }

  /// Returns what is wrong with a period that is longer than usage is kept.
  private static Optional<String> kept(String period, JsonNode keepFor) {
    Optional<Budget.Period> known =
        Arrays.stream(Budget.Period.values()).filter(one -> one.text().equals(period)).findAny();
    if (known.isEmpty() || !keepFor.isTextual()) {
      return Optional.empty();
    }
    try {
      Duration kept = Durations.parse(keepFor.asText());
      int days = known.get().mostDays();
      return kept.toDays() >= days
          ? Optional.empty()
          : Optional.of(
              "\"%s\" has up to %d days, but usage.keepFor is %s. Keep usage for at least %dd."
                  .formatted(period, days, keepFor.asText(), days));
    } catch (IllegalArgumentException _) { // reported elsewhere
      return Optional.empty();
    }
  }
}
