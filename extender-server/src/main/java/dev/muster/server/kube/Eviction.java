package dev.muster.server.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.engine.Effect;
import dev.muster.core.gang.MemberId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Evicts a pod through the Eviction API, which honours disruption budgets.
///
/// @param api where to
/// @param events where the pod's owner reads why
/// @param retries how long to go on while a budget or trouble in the server forbids it
record Eviction(Api api, EventWriter events, Retries retries) {
  private static final Logger log = LoggerFactory.getLogger(Eviction.class);

  void perform(Effect.Evict evict) {
    MemberId pod = evict.member();
    var regarding = new ObjectRef("v1", "Pod", pod.namespace(), pod.name(), pod.uid());
    events.write(regarding, new EventWriter.Notice(true, evict.reason(), evict.message()));
    Api.Answer answer = retries.until(() -> ask(pod));
    if (!answer.isGood() && !answer.isGone()) {
      log.warn("Pod {} of gang {} was not evicted: {}", pod, evict.gang(), answer.problem());
    }
  }

  private Api.Answer ask(MemberId pod) {
    ObjectNode eviction = Json.object().put("apiVersion", "policy/v1").put("kind", "Eviction");
    eviction.putObject("metadata").put("name", pod.name()).put("namespace", pod.namespace());
    eviction.putObject("deleteOptions").putObject("preconditions").put("uid", pod.uid());
    return api.post(Api.pod(pod.namespace(), pod.name(), "eviction"), eviction);
  }
}
