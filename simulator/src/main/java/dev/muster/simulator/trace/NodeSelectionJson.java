package dev.muster.simulator.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.simulator.file.InputRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Reads and writes the node selection of a job in Muster's own traces.
///
/// - `node_selector`: labels that a node must all have.
/// - `node_affinity`: alternatives, each a list of conditions.
/// - `tolerations`: tolerations of taints.
/// - `preferred_affinity`: preferred conditions, each list with a weight.
final class NodeSelectionJson {
  static final List<String> FIELDS =
      List.of("node_selector", "node_affinity", "tolerations", "preferred_affinity");

  private static final Map<String, Operator> OPERATORS =
      new TreeMap<>(
          Map.of(
              "In", Operator.IN,
              "NotIn", Operator.NOT_IN,
              "Exists", Operator.EXISTS,
              "DoesNotExist", Operator.DOES_NOT_EXIST,
              "Gt", Operator.GT,
              "Lt", Operator.LT));

  private NodeSelectionJson() {}

  static NodeSelection read(InputRow row, JsonNode line) {
    List<Requirement> labels = new ArrayList<>();
    for (var label : line.path("node_selector").properties()) {
      labels.add(label(label.getKey(), label.getValue().asText()));
    }
    List<List<Requirement>> terms = new ArrayList<>();
    for (JsonNode term : line.path("node_affinity")) {
      terms.add(conditions(row, "node_affinity", term));
    }
    List<Toleration> tolerations = new ArrayList<>();
    line.path("tolerations").forEach(each -> tolerations.add(toleration(row, each)));
    List<PreferredTerm> preferred = new ArrayList<>();
    line.path("preferred_affinity").forEach(each -> preferred.add(preferred(row, each)));
    return labels.isEmpty() && terms.isEmpty() && tolerations.isEmpty() && preferred.isEmpty()
        ? NodeSelection.ANY
        : new NodeSelection(labels, terms, tolerations, preferred);
  }

  private static PreferredTerm preferred(InputRow row, JsonNode term) {
    int weight = term.path("weight").asInt();
    if (weight < 1 || weight > 100) {
      throw row.fault("preferred_affinity", "weight %d must be 1 to 100.".formatted(weight));
    }
    return new PreferredTerm(
        weight, conditions(row, "preferred_affinity", term.path("conditions")));
  }

  private static List<Requirement> conditions(InputRow row, String field, JsonNode term) {
    List<Requirement> conditions = new ArrayList<>();
    term.forEach(condition -> conditions.add(condition(row, field, condition)));
    return conditions;
  }

  private static Requirement label(String key, String value) {
    return new Requirement(key, Operator.IN, List.of(value));
  }

  private static Requirement condition(InputRow row, String field, JsonNode condition) {
    String name = condition.path("operator").asText();
    Operator operator = OPERATORS.get(name);
    if (operator == null) {
      throw row.fault(
          field, "unknown operator \"%s\"; known: %s.".formatted(name, OPERATORS.keySet()));
    }
    List<String> values = new ArrayList<>();
    condition.path("values").forEach(value -> values.add(value.asText()));
    return new Requirement(condition.path("key").asText(), operator, values);
  }

  private static Toleration toleration(InputRow row, JsonNode toleration) {
    Optional<String> effect = text(toleration, "effect");
    try {
      return new Toleration(
          text(toleration, "key"), text(toleration, "value"), effect.map(Taint.Effect::valueOf));
    } catch (IllegalArgumentException _) {
      throw row.fault(
          "tolerations",
          "unknown effect \"%s\"; known: %s."
              .formatted(effect.orElse(""), List.of(Taint.Effect.values())));
    }
  }

  private static Optional<String> text(JsonNode object, String field) {
    return object.has(field) ? Optional.of(object.path(field).asText()) : Optional.empty();
  }

  /// Writes the fields that [#read] reads back as an equal selection.
  ///
  /// This requires that its first conditions are labels with one value each, as those of pods are.
  static void write(ObjectNode line, NodeSelection selection) {
    if (!selection.all().isEmpty()) {
      ObjectNode labels = line.putObject("node_selector");
      selection.all().forEach(each -> labels.put(each.key(), each.values().getFirst()));
    }
    if (!selection.anyOf().isEmpty()) {
      ArrayNode terms = line.putArray("node_affinity");
      for (List<Requirement> term : selection.anyOf()) {
        ArrayNode conditions = terms.addArray();
        term.forEach(each -> write(conditions.addObject(), each));
      }
    }
    if (!selection.tolerations().isEmpty()) {
      ArrayNode tolerations = line.putArray("tolerations");
      selection.tolerations().forEach(each -> write(tolerations.addObject(), each));
    }
    if (!selection.preferred().isEmpty()) {
      ArrayNode terms = line.putArray("preferred_affinity");
      for (PreferredTerm term : selection.preferred()) {
        ObjectNode written = terms.addObject().put("weight", term.weight());
        ArrayNode conditions = written.putArray("conditions");
        term.all().forEach(each -> write(conditions.addObject(), each));
      }
    }
  }

  private static void write(ObjectNode condition, Requirement requirement) {
    condition.put("key", requirement.key());
    OPERATORS.forEach((name, operator) -> {
      if (operator == requirement.operator()) {
        condition.put("operator", name);
      }
    });
    if (!requirement.values().isEmpty()) {
      ArrayNode values = condition.putArray("values");
      requirement.values().forEach(values::add);
    }
  }

  private static void write(ObjectNode line, Toleration toleration) {
    toleration.key().ifPresent(key -> line.put("key", key));
    toleration.value().ifPresent(value -> line.put("value", value));
    toleration.effect().ifPresent(effect -> line.put("effect", effect.name()));
  }
}
