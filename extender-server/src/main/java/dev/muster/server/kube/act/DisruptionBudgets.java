package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.gang.MemberId;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.ResourcePaths;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Checks if disruption budgets allow several pods to be evicted together. Checking each pod alone
/// is not enough: a budget for one disruption allows any single pod, but not two.
///
/// Algorithm: take the budgets of the namespace that allow fewer disruptions than there are pods.
/// If there are any, read each of the pods once, and count those that match the selector of each
/// budget. A pod that cannot be read counts against all of them. So the number of calls does not
/// depend on the number of budgets, or of other pods.
///
/// @param api access to the API server
public record DisruptionBudgets(ApiCalls api) {
  private static final Logger log = LoggerFactory.getLogger(DisruptionBudgets.class);

  private static final Set<String> NOT_RUNNING = Set.of("Pending", "Succeeded", "Failed");

  /// What budgets ask of a pod.
  ///
  /// @param labels its labels; empty if the pod could not be read
  /// @param isReady true if it is ready, or could not be read
  private record Leaving(Optional<JsonNode> labels, boolean isReady) {}

  /// Describes the first budget that evicting these pods of one namespace would violate.
  Optional<String> broken(List<MemberId> pods) {
    if (pods.size() < 2) {
      return Optional.empty();
    }
    String namespace = pods.getFirst().namespace();
    ApiCalls.Answer answer =
        api.get(ResourcePaths.in("policy/v1", namespace, "poddisruptionbudgets"));
    if (!answer.isGood()) {
      log.warn(
          "Cannot list the disruption budgets of namespace {}; only single evictions are tested: {}",
          namespace,
          answer.problem());
      return Optional.empty();
    }
    List<JsonNode> tight =
        answer
            .json()
            .path("items")
            .valueStream()
            .filter(budget -> allowed(budget) < pods.size())
            .filter(budget -> selector(budget).isObject())
            .toList();
    if (tight.isEmpty()) {
      return Optional.empty();
    }
    List<Leaving> leaving =
        ParallelCalls.each(pods, this::read).stream().flatMap(Optional::stream).toList();
    for (JsonNode budget : tight) {
      long selected = leaving.stream().filter(pod -> counts(pod, budget)).count();
      if (selected > allowed(budget)) {
        return Optional.of(
            "The disruption budget %s/%s allows %d disruptions, but %d of its pods would be evicted."
                .formatted(
                    namespace,
                    budget.path("metadata").path("name").asText(),
                    allowed(budget),
                    selected));
      }
    }
    return Optional.empty();
  }

  private static int allowed(JsonNode budget) {
    return budget.path("status").path("disruptionsAllowed").asInt();
  }

  private static JsonNode selector(JsonNode budget) {
    return budget.path("spec").path("selector");
  }

  /// Reads the pod; empty if it does not run any more. The role may list pods, but not get them.
  private Optional<Leaving> read(MemberId pod) {
    ApiCalls.Answer answer =
        api.get(
            ResourcePaths.in("v1", pod.namespace(), "pods")
                + "?fieldSelector=metadata.name%3D"
                + ResourcePaths.name(pod.name()));
    if (!answer.isGood()) {
      log.warn(
          "Cannot read the pod {} to be evicted; it counts against every disruption budget: {}",
          pod,
          answer.problem());
      return Optional.of(new Leaving(Optional.empty(), true));
    }
    return answer
        .json()
        .path("items")
        .valueStream()
        .filter(found -> found.path("metadata").path("uid").asText().equals(pod.uid()))
        .filter(DisruptionBudgets::runs)
        .map(found ->
            new Leaving(Optional.of(found.path("metadata").path("labels")), isReady(found)))
        .findFirst();
  }

  private static boolean counts(Leaving pod, JsonNode budget) {
    return (pod.isReady() || !sparesUnready(budget))
        && pod.labels().map(labels -> selects(selector(budget), labels)).orElse(true);
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

  /// True if the selector selects a pod with these labels.
  static boolean selects(JsonNode selector, JsonNode labels) {
    return selector
            .path("matchLabels")
            .propertyStream()
            .allMatch(label -> label.getValue().equals(labels.get(label.getKey())))
        && selector
            .path("matchExpressions")
            .valueStream()
            .allMatch(expression -> meets(expression, labels));
  }

  private static boolean meets(JsonNode expression, JsonNode labels) {
    JsonNode value = labels.path(expression.path("key").asText());
    boolean isListed = expression.path("values").valueStream().anyMatch(value::equals);
    return switch (expression.path("operator").asText()) {
      case "In" -> isListed;
      case "NotIn" -> !isListed;
      case "DoesNotExist" -> value.isMissingNode();
      default -> !value.isMissingNode();
    };
  }
}
