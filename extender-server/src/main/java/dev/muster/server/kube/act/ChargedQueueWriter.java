package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.MemberId;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.logging.LogThrottle;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records on pods which queue is charged for them. The caller repeats what is not seen.
///
/// @param throttle limits messages: the owners of gangs can cause them again and again
public record ChargedQueueWriter(ApiCalls api, LogThrottle throttle) {
  private static final Logger log = LoggerFactory.getLogger(ChargedQueueWriter.class);

  /// Writes the record on each of the pods that still exists.
  public void write(UnrecordedAccounts.Account account) {
    List<ApiCalls.Answer> answers =
        ParallelCalls.each(account.pods(), pod -> record(pod, account.queue()));
    if (answers.stream().anyMatch(ApiCalls.Answer::isGood) && throttle.isNew(account.queue())) {
      log.info(
          "{}: its running pods stay in the queue {} and record it; its object names another one or is gone",
          account.gang(),
          account.queue());
    }
    answers.stream()
        .filter(answer -> !answer.isGood() && !answer.isGone())
        .findFirst()
        .filter(_ -> throttle.isNew("not " + account.queue()))
        .ifPresent(answer ->
            log.warn(
                "{}: pods do not record the queue {}, so a restart may charge another one: {}",
                account.gang(),
                account.queue(),
                answer.problem()));
  }

  private ApiCalls.Answer record(MemberId pod, String queue) {
    ObjectNode patch = JsonBodies.patchOf(pod.uid());
    patch.withObject("/metadata/annotations").put(WellKnownNames.CHARGED_QUEUE, queue);
    return api.patch(ResourcePaths.of(pod), ApiCalls.MERGE, patch);
  }
}
