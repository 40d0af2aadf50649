package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.gang.MemberId;
import dev.muster.server.kube.client.ApiCalls;
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

/// Checks if disruption budgets allow several pods to be evicted together. Checking each pod alone
/// is not enough: a budget for one disruption allows any single pod, but not two.
///
/// Algorithm: take the budgets of the namespace that allow fewer disruptions than there are pods.
/// For each, ask the API server for the pods that match its selector. If it does not answer, count
/// all of the pods.
///
/// @param api access to the API server
public record DisruptionBudgets(ApiCalls api) {
  private static final Logger log = LoggerFactory.getLogger(DisruptionBudgets.class);

  private static final Set<String> NOT_RUNNING = Set.of("Pending", "Succeeded", "Failed");

  /// Pods per page. A pod has some 10 kB, and ten times as much as a tree in memory.
  private static final int PAGE = 250;

  /// Describes the first budget that evicting these pods of one namespace would violate.
  Optional<String> broken(List<MemberId> pods) {
    if (pods.size() < 2) {
      return Optional.empty();
    }
    String namespace = pods.getFirst().namespace();
    ApiCalls.Answer answer =
        api.get("/apis/policy/v1/namespaces/%s/poddisruptionbudgets".formatted(namespace));
    if (!answer.isGood()) {
      log.warn(
          "Cannot list the disruption budgets of namespace {}; only single evictions are tested: {}",
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
            "The disruption budget %s/%s allows %d disruptions, but %d of its pods would be evicted."
                .formatted(namespace, name(budget), allowed, leaving));
      }
    }
    return Optional.empty();
  }

  /// Returns the number of the pods that count against the budget; 0 if it has no selector.
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
      ApiCalls.Answer answer = api.get(next.isEmpty() ? pods : pods + "&continue=" + encoded(next));
      if (!answer.isGood()) {
        log.warn(
            "Cannot list the pods of the disruption budget {}/{}; all {} pods to be evicted count against it: {}",
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

  /// True if the API server evicts unready pods regardless of the budget. It does not if healthy
  /// pods are missing and the budget protects unready pods too.
  private static boolean sparesUnready(JsonNode budget) {
    JsonNode status = budget.path("status");
    int desired = status.path("desiredHealthy").asInt();
    return (desired > 0 && status.path("currentHealthy").asInt() >= desired)
        || budget.path("spec").path("unhealthyPodEvictionPolicy").asText().equals("AlwaysAllow");
  }

  /// True if the pod runs. Budgets do not apply to pods that do not run or are being deleted.
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

  /// Formats a selector as a query parameter.
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
