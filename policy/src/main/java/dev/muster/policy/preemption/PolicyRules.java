package dev.muster.policy.preemption;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.policy.file.Durations;
import dev.muster.policy.file.NearestWord;
import dev.muster.policy.file.Times;
import dev.muster.policy.preemption.expression.ExpressionCompiler;
import dev.muster.policy.preemption.expression.ExpressionIssue;
import dev.muster.policy.preemption.expression.ExpressionType;
import dev.muster.policy.yaml.FieldFault;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Rules for a policy beyond its schema: expressions compile, and fields agree.
///
/// They are checked on documents of any shape.
public final class PolicyRules {
  private static final List<String> CONDITIONS =
      List.of("minRunTime", "remaining", "progress", "ownerMarked", "when");
  private static final List<String> NARROWING =
      List.of("victims", "preemptors", "window", "since", "until");
  private static final Set<String> PROTECTION =
      Stream.of(CONDITIONS, NARROWING, List.of("name", "owner", "reason"))
          .flatMap(List::stream)
          .collect(Collectors.toUnmodifiableSet());
  private static final List<String> RULE_NARROWING =
      List.of("from", "to", "sameQueue", "sameNamespace", "when");

  private static final List<String> OWN =
      List.of(
          FilePolicy.NO_RULE,
          PriorityFloor.NAME,
          Protection.Cap.NAME,
          VictimOrder.COST.term().name());

  private final JsonNode policy;
  private final List<FieldFault> faults = new ArrayList<>();

  private PolicyRules(JsonNode policy) {
    this.policy = policy;
  }

  public static List<FieldFault> faults(JsonNode policy) {
    PolicyRules rules = new PolicyRules(policy);
    rules.rules();
    rules.protections();
    rules.cost();
    rules.delay();
    rules.tests();
    return rules.faults;
  }

  private void rules() {
    String unconditional = "";
    for (int i = 0; i < policy.path("rules").size(); i++) {
      JsonPointer at = at("rules", i);
      JsonNode rule = policy.at(at);
      ranges(at.appendProperty("from"));
      ranges(at.appendProperty("to"));
      expression(at.appendProperty("when"), ExpressionType.CONDITION);
      own(at, rule);
      if (!unconditional.isEmpty()) {
        faults.add(
            new FieldFault(
                at.appendProperty("name"),
                "is never reached: the rule \"%s\" above matches every pair."
                    .formatted(unconditional)));
      } else if (rule.isObject() && RULE_NARROWING.stream().noneMatch(rule::has)) {
        unconditional = rule.path("name").asText();
      }
    }
  }

  private void protections() {
    Set<String> taken = names("rules");
    for (int i = 0; i < policy.path("protect").size(); i++) {
      JsonPointer at = at("protect", i);
      JsonNode entry = policy.at(at);
      ranges(at.appendProperty("victims"));
      ranges(at.appendProperty("preemptors"));
      expression(at.appendProperty("when"), ExpressionType.CONDITION);
      conditions(at, entry);
      String name = entry.path("name").asText();
      own(at, entry);
      if (!name.isEmpty() && taken.contains(name)) {
        faults.add(
            new FieldFault(
                at.appendProperty("name"),
                "\"%s\" is already the name of a rule.".formatted(name)));
      }
      exemption(at, entry);
    }
  }

  private void exemption(JsonPointer at, JsonNode entry) {
    for (String field : List.of("owner", "reason")) {
      if (entry.has("until") && !entry.has(field)) {
        faults.add(
            new FieldFault(
                at.appendProperty(field),
                "is missing. A protection with until needs owner and reason."));
      }
    }
    Optional<Instant> since = time(entry.path("since"));
    Optional<Instant> until = time(entry.path("until"));
    if (since.isPresent() && until.isPresent() && !until.get().isAfter(since.get())) {
      faults.add(
          new FieldFault(
              at.appendProperty("until"),
              "%s is not after since (%s)."
                  .formatted(entry.path("until").asText(), entry.path("since").asText())));
    }
  }

  /// Returns the time; empty for a malformed one, which the schema reports.
  private static Optional<Instant> time(JsonNode text) {
    try {
      return Optional.of(Times.parse(text.asText()));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// Refuses names that Muster uses itself: the source of a reason must be clear from its name.
  private void own(JsonPointer at, JsonNode entry) {
    String name = entry.path("name").asText();
    if (OWN.contains(name)) {
      faults.add(
          new FieldFault(
              at.appendProperty("name"), "\"%s\" is reserved by Muster.".formatted(name)));
    }
  }

  private void conditions(JsonPointer at, JsonNode entry) {
    List<String> given = CONDITIONS.stream().filter(entry::has).toList();
    if (given.size() > 1) {
      faults.add(
          new FieldFault(
              at.appendProperty(given.get(1)),
              "conflicts with %s: an entry has one condition. Of two entries, either protects."
                  .formatted(given.getFirst())));
    }
    boolean misspelt =
        entry.propertyStream().anyMatch(field -> !PROTECTION.contains(field.getKey()));
    if (entry.isObject()
        && !misspelt
        && given.isEmpty()
        && NARROWING.stream().noneMatch(entry::has)) {
      String message = "spares every gang at all times. Set mode: Off to switch preemption off.";
      faults.add(new FieldFault(at, message));
    }
  }

  private void cost() {
    JsonNode order = policy.path("victimOrder");
    JsonNode cost = policy.path("cost");
    boolean named = order.valueStream().anyMatch(by -> by.asText().equals("cost"));
    if (named && cost.isMissingNode()) {
      String message = "names cost, but the field cost is missing.";
      faults.add(new FieldFault(JsonPointer.compile("/victimOrder"), message));
    }
    if (!named && !cost.isMissingNode()) {
      String message = "is not used: victimOrder does not name cost.";
      faults.add(new FieldFault(JsonPointer.compile("/cost"), message));
    }
    for (int i = 0; i < cost.size(); i++) {
      JsonPointer at = at("cost", i);
      expression(at.appendProperty("expression"), ExpressionType.AMOUNT);
      if (cost.path(i).isObject() && cost.path(i).has("by") == cost.path(i).has("expression")) {
        faults.add(new FieldFault(at, "needs either by or expression."));
      }
      weight(at, cost.path(i));
    }
  }

  private void weight(JsonPointer at, JsonNode part) {
    String priority = VictimOrder.LOWEST_PRIORITY.term().name();
    JsonNode weight = part.path("weight");
    if (part.path("by").asText().equals(priority)
        && weight.isInt()
        && weight.intValue() > VictimCosts.MOST_BY_PRIORITY) {
      faults.add(
          new FieldFault(
              at.appendProperty("weight"),
              "%d is too large for %s: amounts count from %d, so all gangs of high priority would cost equally much. At most %d."
                  .formatted(
                      weight.intValue(),
                      priority,
                      Integer.MIN_VALUE,
                      VictimCosts.MOST_BY_PRIORITY)));
    }
  }

  private void delay() {
    JsonPointer at = JsonPointer.compile("/delay");
    JsonNode delay = policy.path("delay");
    if (!delay.isTextual() || !PolicyCompiler.isDuration(delay.asText())) {
      expression(at, ExpressionType.DELAY);
      return;
    }
    try {
      Durations.parse(delay.asText());
    } catch (IllegalArgumentException refused) {
      faults.add(new FieldFault(at, String.valueOf(refused.getMessage())));
    }
  }

  private void tests() {
    Set<String> known = new LinkedHashSet<>(names("rules"));
    known.addAll(names("protect"));
    known.addAll(OWN);
    for (int i = 0; i < policy.path("tests").size(); i++) {
      JsonPointer at = at("tests", i).appendProperty("expect").appendProperty("rule");
      String rule = policy.at(at).asText();
      if (!rule.isEmpty() && !known.contains(rule) && !policy.has("plugin")) {
        faults.add(
            new FieldFault(
                at, "\"%s\" is not a rule or protection. %s".formatted(rule, hint(rule, known))));
      }
    }
  }

  private static String hint(String word, Set<String> known) {
    return NearestWord.to(word, known)
        .map(near -> "Did you mean \"" + near + "\"?")
        .orElse("Known: " + String.join(", ", known) + ".");
  }

  private void ranges(JsonPointer selector) {
    for (String field : List.of("priority", "gpus")) {
      JsonPointer at = selector.appendProperty(field);
      JsonNode range = policy.at(at);
      if (range.path("min").isInt()
          && range.path("max").isInt()
          && range.path("min").intValue() > range.path("max").intValue()) {
        faults.add(
            new FieldFault(
                at.appendProperty("min"),
                "%s is more than max (%s)."
                    .formatted(range.path("min").asText(), range.path("max").asText())));
      }
    }
  }

  private void expression(JsonPointer at, ExpressionType type) {
    JsonNode text = policy.at(at);
    int length = text.asText().codePointCount(0, text.asText().length());
    if (text.isTextual() && length > 0 && length <= ExpressionCompiler.MOST_SIGNS) {
      for (ExpressionIssue issue : ExpressionCompiler.check(text.asText(), type)) {
        faults.add(new FieldFault(at, issue.offset(), issue.message()));
      }
    }
  }

  private Set<String> names(String list) {
    Set<String> names = new LinkedHashSet<>();
    policy.path(list).forEach(item -> names.add(item.path("name").asText()));
    return names;
  }

  private static JsonPointer at(String list, int index) {
    return JsonPointer.compile("/" + list).appendIndex(index);
  }
}
