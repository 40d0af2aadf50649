package dev.muster.server.kube;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.gang.MemberId;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether disruption budgets allow pods to leave together. Trying each by itself does not tell: a
/// budget for one disruption allows any of them, and not two.
///
/// Algorithm: of the budgets of the namespace, those that allow fewer disruptions than there are
/// pods; for each, which of the pods the API server finds by its selector. Where it does not say,
/// all of them.
///
/// @param api where they are
record DisruptionBudgets(Api api) {
  private static final Logger log = LoggerFactory.getLogger(DisruptionBudgets.class);

  private static final Set<String> NOT_RUNNING = Set.of("Pending", "Succeeded", "Failed");

  /// Whole pods come, some ten kilobytes each; as a tree, ten times as much.
  private static final int PAGE = 250;

  /// The first budget that some of these pods of one namespace would break, in words.
  Optional<String> broken(List<MemberId> pods) {
    if (pods.size() < 2) {
      return Optional.empty();
    }
    String namespace = pods.getFirst().namespace();
    Api.Answer answer =
        api.get("/apis/policy/v1/namespaces/%s/poddisruptionbudgets".formatted(namespace));
    if (!answer.isGood()) {
      log.warn(
          "The disruption budgets of {} are not known, only single evictions are tried: {}",
          namespace,
          answer.problem());
      return Optional.empty();
    }
    Set<String> uids = pods.stream().map(MemberId::uid).collect(Collectors.toSet());
    for (JsonNode budget : answer.json().path("items")) {
      int allowed = budget.path("status").path("disruptionsAllowed").asInt();
      int leaving = allowed < uids.size() ? selected(namespace, budget, uids) : 0;
      if (leaving > allowed) {
        return Optional.of(
            "The disruption budget %s/%s allows %d disruptions, but %d of its pods would leave."
                .formatted(namespace, name(budget), allowed, leaving));
      }
    }
    return Optional.empty();
  }

  /// How many of the pods the budget selects and is asked about; none where it has no selector.
  private int selected(String namespace, JsonNode budget, Set<String> uids) {
    JsonNode selector = budget.path("spec").path("selector");
    if (!selector.isObject()) {
      return 0;
    }
    String pods =
        "/api/v1/namespaces/%s/pods?limit=%d&labelSelector=%s"
            .formatted(namespace, PAGE, encoded(text(selector)));
    boolean sparesUnready = sparesUnready(budget);
    Set<String> found = new HashSet<>();
    String next = "";
    do {
      Api.Answer answer = api.get(next.isEmpty() ? pods : pods + "&continue=" + encoded(next));
      if (!answer.isGood()) {
        log.warn(
            "The pods of the disruption budget {}/{} are not known, so all {} that would leave count as its own: {}",
            namespace,
            name(budget),
            uids.size(),
            answer.problem());
        return uids.size();
      }
      JsonNode page = answer.json();
      for (JsonNode pod : page.path("items")) {
        if (runs(pod) && (!sparesUnready || isReady(pod))) {
          found.add(pod.path("metadata").path("uid").asText());
        }
      }
      next = page.path("metadata").path("continue").asText();
    } while (!next.isEmpty());
    found.retainAll(uids);
    return found.size();
  }

  /// Whether the API server evicts pods that are not ready without asking the budget: unless it is
  /// short of healthy pods and guards those, too.
  private static boolean sparesUnready(JsonNode budget) {
    JsonNode status = budget.path("status");
    int desired = status.path("desiredHealthy").asInt();
    return (desired > 0 && status.path("currentHealthy").asInt() >= desired)
        || budget.path("spec").path("unhealthyPodEvictionPolicy").asText().equals("AlwaysAllow");
  }

  /// For pods that do not run, or are going already, no budget is asked.
  private static boolean runs(JsonNode pod) {
    return !NOT_RUNNING.contains(pod.path("status").path("phase").asText())
        && pod.path("metadata").path("deletionTimestamp").isMissingNode();
  }

  private static boolean isReady(JsonNode pod) {
    for (JsonNode condition : pod.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("Ready")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  private static String name(JsonNode budget) {
    return budget.path("metadata").path("name").asText();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// A selector as it is written in a query.
  static String text(JsonNode selector) {
    List<String> parts = new ArrayList<>();
    selector
        .path("matchLabels")
        .properties()
        .forEach(label -> parts.add(label.getKey() + "=" + label.getValue().asText()));
    for (JsonNode expression : selector.path("matchExpressions")) {
      String key = expression.path("key").asText();
      String values =
          expression
              .path("values")
              .valueStream()
              .map(JsonNode::asText)
              .collect(Collectors.joining(",", "(", ")"));
      parts.add(
          switch (expression.path("operator").asText()) {
            case "In" -> key + " in " + values;
            case "NotIn" -> key + " notin " + values;
            case "DoesNotExist" -> "!" + key;
            default -> key;
          });
    }
    return String.join(",", parts);
  }
}
