package dev.muster.server.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.engine.Effect;
import dev.muster.core.gang.MemberId;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Evicts a pod through the Eviction API, which honours disruption budgets.
///
/// @param api where to
/// @param events where the pod's owner reads why
/// @param retries how long to go on while a budget or trouble in the server forbids it
record Eviction(Api api, EventWriter events, Retries retries) {
  private static final Logger log = LoggerFactory.getLogger(Eviction.class);

  /// Evicts the pod; what hindered it, if anything did. One that runs without its mates is tried
  /// again and again; where others wait for the room, the engine decides what then.
  Optional<Api.Answer> perform(Effect.Evict evict) {
    MemberId pod = evict.member();
    var regarding = new ObjectRef("v1", "Pod", pod.namespace(), pod.name(), pod.uid());
    events.write(regarding, new EventWriter.Notice(true, evict.reason(), evict.message()));
    boolean once = evict.reason().equals(Effect.PREEMPTED);
    Api.Answer answer =
        once ? ask(pod, evict.grace(), false) : retries.until(() -> ask(pod, evict.grace(), false));
    if (answer.isGood() || answer.isGone()) {
      return Optional.empty();
    }
    log.warn("Pod {} of gang {} was not evicted: {}", pod, evict.gang(), answer.problem());
    return Optional.of(answer);
  }

  /// Whether the pod would be evicted now; nothing happens to it.
  Api.Answer attempt(MemberId pod) {
    return ask(pod, Optional.empty(), true);
  }

  /// Whether it is a disruption budget that says no: 429 where it allows none now, 500 where
  /// several select the pod.
  static boolean isForbidden(Api.Answer answer) {
    return answer.code() == 429 || (answer.code() == 500 && answer.problem().contains("budget"));
  }

  private Api.Answer ask(MemberId pod, Optional<Duration> grace, boolean dry) {
    ObjectNode eviction = Json.object().put("apiVersion", "policy/v1").put("kind", "Eviction");
    eviction.putObject("metadata").put("name", pod.name()).put("namespace", pod.namespace());
    ObjectNode options = eviction.putObject("deleteOptions");
    options.putObject("preconditions").put("uid", pod.uid());
    grace.ifPresent(time -> options.put("gracePeriodSeconds", time.toSeconds()));
    if (dry) {
      options.putArray("dryRun").add("All");
    }
    return api.post(Api.pod(pod.namespace(), pod.name(), "eviction"), eviction);
  }
}
