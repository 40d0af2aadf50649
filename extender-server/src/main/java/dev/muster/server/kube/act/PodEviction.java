package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.logging.LogThrottle;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Evicts a pod through the Eviction API, which honours disruption budgets. If the policy allows
/// it, a pod that a budget protects is deleted instead.
///
/// @param api access to the API server
/// @param events destination of the Event that tells the pod's owner the reason
/// @param throttle limiter of log lines about refused evictions
public record PodEviction(ApiCalls api, EventWriter events, LogThrottle throttle) {
  private static final Logger log = LoggerFactory.getLogger(PodEviction.class);

  /// Evicts the pod and returns the failed answer, if any. The call is not repeated here: a wait
  /// for one budget would block other evictions. The engine requests the eviction again.
  public Optional<ApiCalls.Answer> perform(Effect.Evict evict) {
    MemberId pod = evict.member();
    Optional<Duration> grace = evict.ending().grace();
    ApiCalls.Answer answer = ask(pod, grace, false);
    boolean byBudget = isForbidden(answer) || answer.isTooLarge(); // the budget may be too large
    if (evict.ending().overBudgets() && byBudget) {
      answer = delete(pod, evict);
    }
    if (answer.isGood()) {
      var notice = new EventWriter.Notice(true, evict.reason(), evict.message());
      events.write(ObjectRef.to(pod), notice);
    }
    if (answer.isGood() || answer.isGone()) {
      return Optional.empty();
    }
    if (throttle.isNew(evict.gang() + answer.problem())) {
      log.warn("Pod {} of gang {} was not evicted: {}", pod, evict.gang(), answer.problem());
    }
    return Optional.of(answer);
  }

  /// Tests if the pod could be evicted now, by a dry run.
  ApiCalls.Answer attempt(MemberId pod) {
    return ask(pod, Optional.empty(), true);
  }

  /// True if a disruption budget forbids the eviction.
  ///
  /// The API server answers 429 with that cause if the budget allows no disruption now, and 500 if
  /// several budgets select the pod. An overloaded API server answers 429 too, but without the
  /// cause.
  static boolean isForbidden(ApiCalls.Answer answer) {
    return (answer.code() == 429 && isBudget(answer.json()))
        || (answer.code() == 500 && answer.problem().contains("PodDisruptionBudget"));
  }

  /// True if a disruption budget forbids the eviction, or the pod or a rule about it refuses it. A
  /// retry fails too, until the budget changes.
  public static boolean isRefused(ApiCalls.Answer answer) {
    return isForbidden(answer) || answer.isRefusal();
  }

  private static boolean isBudget(JsonNode status) {
    return status
        .path("details")
        .path("causes")
        .valueStream()
        .anyMatch(cause -> cause.path("reason").asText().equals("DisruptionBudget"));
  }

  /// Deletes the pod, after setting the condition that marks it as disrupted for controllers. The
  /// Eviction API would set it by itself.
  private ApiCalls.Answer delete(MemberId pod, Effect.Evict evict) {
    ObjectNode patch = JsonBodies.patchOf(pod.uid());
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "DisruptionTarget")
        .put("status", "True")
        .put("reason", "PreemptionByScheduler")
        .put("message", evict.message());
    ApiCalls.Answer told = api.patch(ResourcePaths.status(pod), ApiCalls.STRATEGIC, patch);
    if (!told.isGood()) {
      log.warn("Pod {} was not marked as disrupted: {}", pod, told.problem());
    }
    ObjectNode options = options(pod, evict.ending().grace());
    options.put("apiVersion", "v1").put("kind", "DeleteOptions");
    return api.delete(ResourcePaths.of(pod), options);
  }

  private static ObjectNode options(MemberId pod, Optional<Duration> grace) {
    ObjectNode options = JsonBodies.object();
    options.putObject("preconditions").put("uid", pod.uid());
    grace.ifPresent(time -> options.put("gracePeriodSeconds", seconds(time)));
    return options;
  }

  /// Returns the grace period in seconds, at least 1. With 0, the pod object disappears at once,
  /// and its GPUs are reused before its containers have ended.
  private static long seconds(Duration grace) {
    return Math.max(1, grace.plusMillis(999).toSeconds());
  }

  private ApiCalls.Answer ask(MemberId pod, Optional<Duration> grace, boolean dry) {
    ObjectNode eviction =
        JsonBodies.object().put("apiVersion", "policy/v1").put("kind", "Eviction");
    eviction.putObject("metadata").put("name", pod.name()).put("namespace", pod.namespace());
    ObjectNode options = options(pod, grace);
    eviction.set("deleteOptions", options);
    if (dry) {
      options.putArray("dryRun").add("All");
    }
    return api.post(ResourcePaths.eviction(pod), eviction);
  }
}
