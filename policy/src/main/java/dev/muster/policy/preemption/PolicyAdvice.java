package dev.muster.policy.preemption;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.policy.file.NearestWord;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.yaml.FieldFault;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Parts of a valid policy that have no effect, or another effect than meant. They are warnings:
/// the policy stays in force.
public final class PolicyAdvice {
  private static final String DENY = "Deny";

  private final JsonNode policy;
  private final List<FieldFault> advice = new ArrayList<>();

  private PolicyAdvice(JsonNode policy) {
    this.policy = policy;
  }

  /// Returns the warnings about a policy.
  ///
  /// @param queues the queues of the configuration, if it is known
  /// @param failures expressions that had no value for a pair of gangs
  public static List<FieldFault> of(
      JsonNode policy, Optional<Set<String>> queues, Collection<ExpressionFailure> failures) {
    PolicyAdvice advice = new PolicyAdvice(policy);
    advice.effect();
    advice.shadowed();
    advice.idle();
    queues.ifPresent(advice::unknown);
    failures.forEach(advice::failed);
    return advice.advice;
  }

  private void effect() {
    JsonNode rules = policy.path("rules");
    boolean allows = rules.valueStream().anyMatch(rule -> !isDeny(rule));
    if (!rules.isEmpty() && !allows && !policy.has("plugin")) {
      advice.add(
          new FieldFault(
              JsonPointer.compile("/rules"),
              "has no rule with the action Allow. No gang is ever preempted."));
    }
  }

  private static boolean isDeny(JsonNode rule) {
    return rule.path("action").asText().equalsIgnoreCase(DENY);
  }

  /// Finds rules that are never reached, because an earlier one matches every pair that they match.
  private void shadowed() {
    JsonNode rules = policy.path("rules");
    for (int i = 1; i < rules.size(); i++) {
      for (int before = 0; before < i; before++) {
        if (covers(rules.path(before), rules.path(i))) {
          advice.add(
              new FieldFault(
                  at("rules", i).appendProperty("name"),
                  "is never reached: the rule \"%s\" above matches every pair that it matches."
                      .formatted(rules.path(before).path("name").asText())));
          break;
        }
      }
    }
  }

  private static boolean covers(JsonNode wide, JsonNode narrow) {
    return (!wide.has("when") || wide.path("when").equals(narrow.path("when")))
        && isSameOrAbsent(wide, narrow, "sameQueue")
        && isSameOrAbsent(wide, narrow, "sameNamespace")
        && selects(wide.path("from"), narrow.path("from"))
        && selects(wide.path("to"), narrow.path("to"));
  }

  private static boolean isSameOrAbsent(JsonNode wide, JsonNode narrow, String field) {
    return !wide.has(field) || wide.path(field).equals(narrow.path(field));
  }

  /// True if the first selector selects every gang that the second one selects.
  private static boolean selects(JsonNode wide, JsonNode narrow) {
    return hasRange(wide.path("priority"), narrow.path("priority"))
        && hasRange(wide.path("gpus"), narrow.path("gpus"))
        && hasNames(wide, narrow, "queues")
        && hasNames(wide, narrow, "namespaces")
        && hasNames(wide, narrow, "models")
        && isSameOrAbsent(wide, narrow, "borrows")
        && wide.path("labels")
            .propertyStream()
            .allMatch(label -> label.getValue().equals(narrow.path("labels").path(label.getKey())));
  }

  private static boolean hasRange(JsonNode wide, JsonNode narrow) {
    return wide.path("min").asInt(Integer.MIN_VALUE) <= narrow.path("min").asInt(Integer.MIN_VALUE)
        && wide.path("max").asInt(Integer.MAX_VALUE) >= narrow.path("max").asInt(Integer.MAX_VALUE);
  }

  private static boolean hasNames(JsonNode wide, JsonNode narrow, String field) {
    return !wide.has(field)
        || (narrow.has(field) && words(wide, field).containsAll(words(narrow, field)));
  }

  private static Set<String> words(JsonNode selector, String field) {
    Set<String> words = new TreeSet<>();
    selector.path(field).forEach(word -> words.add(word.asText()));
    return words;
  }

  /// Finds protections of queues from which no rule takes anything.
  private void idle() {
    Set<String> taken = new TreeSet<>();
    for (JsonNode rule : policy.path("rules")) {
      if (!isDeny(rule) && !rule.path("to").has("queues")) {
        return;
      }
      taken.addAll(isDeny(rule) ? Set.of() : words(rule.path("to"), "queues"));
    }
    for (int i = 0; !taken.isEmpty() && i < policy.path("protect").size(); i++) {
      JsonNode victims = policy.path("protect").path(i).path("victims");
      Set<String> spared = words(victims, "queues");
      if (!spared.isEmpty() && spared.stream().noneMatch(taken::contains)) {
        String queue = spared.iterator().next();
        advice.add(
            new FieldFault(
                at("protect", i).appendProperty("victims").appendProperty("queues"),
                "has no effect: no rule allows to preempt gangs of %s. %s"
                    .formatted(queue, hint(queue, taken))));
      }
    }
  }

  /// Finds names of queues that the configuration does not have.
  private void unknown(Set<String> queues) {
    for (String list : List.of("rules", "protect")) {
      for (int i = 0; i < policy.path(list).size(); i++) {
        for (String selector : List.of("from", "to", "victims", "preemptors")) {
          JsonPointer at = at(list, i).appendProperty(selector).appendProperty("queues");
          for (int word = 0; word < policy.at(at).size(); word++) {
            String queue = policy.at(at).path(word).asText();
            if (!queues.contains(queue)) {
              advice.add(
                  new FieldFault(
                      at.appendIndex(word),
                      "\"%s\" is not a queue of the configuration. %s"
                          .formatted(queue, hint(queue, queues))));
            }
          }
        }
      }
    }
  }

  private static String hint(String word, Set<String> known) {
    return NearestWord.to(word, known)
        .map(near -> "Did you mean \"" + near + "\"?")
        .orElse("Known: " + String.join(", ", known) + ".");
  }

  private void failed(ExpressionFailure failure) {
    String failed =
        failure.expression().isEmpty() ? "\"%s\" ".formatted(failure.rule()) : ""; // a plug-in
    advice.add(
        new FieldFault(
            place(failure),
            "%shad no value for a pair of gangs: %s. The victim was spared, or the preemptor waited."
                .formatted(failed, failure.reason())));
  }

  private JsonPointer place(ExpressionFailure failure) {
    for (String list : List.of("rules", "protect")) {
      for (int i = 0; i < policy.path(list).size(); i++) {
        if (policy.path(list).path(i).path("name").asText().equals(failure.rule())) {
          return at(list, i).appendProperty("when");
        }
      }
    }
    for (int i = 0; i < policy.path("cost").size(); i++) {
      if (policy.path("cost").path(i).path("expression").asText().equals(failure.expression())) {
        return at("cost", i).appendProperty("expression");
      }
    }
    return policy.has(failure.rule())
        ? JsonPointer.compile("/" + failure.rule())
        : JsonPointer.compile("/plugin/name");
  }

  private static JsonPointer at(String list, int index) {
    return JsonPointer.compile("/" + list).appendIndex(index);
  }
}
