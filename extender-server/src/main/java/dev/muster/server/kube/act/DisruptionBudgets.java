package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.gang.MemberId;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ResourcePaths;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/// Checks if disruption budgets allow several pods to be evicted together. Checking each pod alone
/// is not enough: a budget for one disruption allows any single pod, but not two.
///
/// Where the budgets cannot be read, the pods stay: a part of a gang would leave otherwise. An
/// owner of budgets gains no immunity by that, since one budget for no disruption gives the same.
///
/// Algorithm: take the budgets of the namespace that allow fewer disruptions than there are pods,
/// and count those pods that match the selector of each budget. Labels and readiness are those of
/// the watch. The API server has the last word at each eviction.
///
/// @param api access to the API server
/// @param objects current pods
public record DisruptionBudgets(ApiCalls api, GangObjects objects) {
  private static final Set<String> NOT_RUNNING = Set.of("Pending", "Succeeded", "Failed");

  /// Most bytes of all budgets of a namespace. Tenants write them, and in memory they take about
  /// twenty times as much.
  private static final int READ = 1 << 20;

  /// Held while budgets are in memory as objects. Many victims are checked at the same time.
  private static final Lock PARSING = new ReentrantLock(true);

  /// Returns why these pods of one namespace are not evicted together, if there is a reason. A
  /// budget forbids it, or the budgets cannot be read.
  Optional<PreemptionWriter.Hindrance> hindrance(List<MemberId> pods) {
    if (pods.size() < 2) {
      return Optional.empty();
    }
    String namespace = pods.getFirst().namespace();
    ApiCalls.Answer answer =
        api.get(ResourcePaths.in("policy/v1", namespace, "poddisruptionbudgets"), READ);
    if (!answer.isGood()) {
      // The owner of the budgets can make the answer too long or too slow, at each retry too.
      boolean mayPass = answer.isPassing() && !answer.excessive();
      return Optional.of(
          new PreemptionWriter.Hindrance(pods.getFirst(), !mayPass, unread(namespace, answer)));
    }
    List<Pod> leaving =
        pods.stream()
            .map(objects::pod)
            .flatMap(Optional::stream)
            .filter(DisruptionBudgets::runs)
            .toList();
    PARSING.lock();
    try {
      return answer
          .json()
          .path("items")
          .valueStream()
          .map(budget -> violation(namespace, budget, leaving))
          .flatMap(Optional::stream)
          .findFirst()
          .map(problem -> new PreemptionWriter.Hindrance(pods.getFirst(), true, problem));
    } finally {
      PARSING.unlock();
    }
  }

  private static String unread(String namespace, ApiCalls.Answer answer) {
    return "The disruption budgets of namespace %s cannot be read (%s). Its gangs of several pods are evicted only if Muster may list the budgets and they have at most 1 MiB together, or if a rule of the policy overrides budgets."
        .formatted(namespace, answer.problem());
  }

  private static Optional<String> violation(String namespace, JsonNode budget, List<Pod> leaving) {
    int allowed = budget.path("status").path("disruptionsAllowed").asInt();
    JsonNode selector = budget.path("spec").path("selector");
    if (allowed >= leaving.size() || !selector.isObject()) {
      return Optional.empty();
    }
    Selector selected = Selector.of(selector);
    boolean sparesUnready = sparesUnready(budget);
    long evicted =
        leaving.stream()
            .filter(pod -> !sparesUnready || isReady(pod))
            .filter(pod -> selected.selects(ObjectMetadata.labels(pod)))
            .count();
    return evicted <= allowed
        ? Optional.empty()
        : Optional.of(
            "The disruption budget %s/%s allows %d disruptions, but %d of its pods would be evicted."
                .formatted(
                    namespace, budget.path("metadata").path("name").asText(), allowed, evicted));
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
  private static boolean runs(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && (pod.getStatus() == null
            || pod.getStatus().getPhase() == null
            || !NOT_RUNNING.contains(pod.getStatus().getPhase()));
  }

  private static boolean isReady(Pod pod) {
    return pod.getStatus() != null
        && pod.getStatus().getConditions().stream()
            .filter(condition -> "Ready".equals(condition.getType()))
            .anyMatch(condition -> "True".equals(condition.getStatus()));
  }

  /// A selector of pods by their labels.
  record Selector(Map<String, String> labels, List<Expression> expressions) {
    /// The values are in a set, since a tenant can write a hundred thousand.
    private record Expression(String key, String operator, Set<String> values) {
      private boolean meets(Map<String, String> labels) {
        boolean isPresent = labels.containsKey(key);
        boolean isListed = isPresent && values.contains(labels.get(key));
        return switch (operator) {
          case "In" -> isListed;
          case "NotIn" -> !isListed;
          case "DoesNotExist" -> !isPresent;
          default -> isPresent;
        };
      }
    }

    static Selector of(JsonNode selector) {
      Map<String, String> labels =
          selector
              .path("matchLabels")
              .propertyStream()
              .collect(Collectors.toMap(Map.Entry::getKey, label -> label.getValue().asText()));
      List<Expression> expressions =
          selector.path("matchExpressions").valueStream().map(Selector::expression).toList();
      return new Selector(labels, expressions);
    }

    private static Expression expression(JsonNode expression) {
      return new Expression(
          expression.path("key").asText(),
          expression.path("operator").asText(),
          expression
              .path("values")
              .valueStream()
              .map(JsonNode::asText)
              .collect(Collectors.toSet()));
    }

    /// True if a pod with these labels is selected.
    boolean selects(Map<String, String> of) {
      return of.entrySet().containsAll(labels.entrySet())
          && expressions.stream().allMatch(expression -> expression.meets(of));
    }
  }
}
