package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.WellKnownNames;
import java.time.InstantSource;
import java.util.Optional;

/// Releases a pod to kube-scheduler: the nomination first, if needed, then the removal of the gate.
/// The order matters, since a nomination is effective at once and a gate cannot be put back.
///
/// Every patch carries the pod's uid, since another pod may have taken its name.
public record MemberStart(ApiCalls api, InstantSource clock) {
  /// Nominates the pod and removes Muster's gate; other gates stay.
  ///
  /// @return the error, if any
  public Optional<String> perform(Effect.StartMember start) {
    return nominate(start, JsonBodies.patchOf(start.member().uid()))
        .or(() -> ungate(start.member()));
  }

  /// Nominates a pod without gate and changes an annotation, in one patch. The annotation is
  /// necessary: kube-scheduler retries a refused pod only if more than its status has changed.
  ///
  /// @return the error, if any
  public Optional<String> wake(Effect.StartMember start) {
    ObjectNode patch = JsonBodies.patchOf(start.member().uid());
    patch
        .withObject("/metadata/annotations")
        .put(WellKnownNames.NOMINATED_AT, clock.instant().toString());
    return nominate(start, patch);
  }

  private Optional<String> nominate(Effect.StartMember start, ObjectNode patch) {
    patch.withObject("/status").put("nominatedNodeName", start.node().name());
    ApiCalls.Answer answer = status(start.member(), patch);
    return isAlreadyBound(answer) ? Optional.empty() : failure("The nomination failed: ", answer);
  }

  /// True if the pod was bound before it could be nominated, which is what the start is for. Its
  /// node is in the next fact about the pod.
  private static boolean isAlreadyBound(ApiCalls.Answer answer) {
    return answer.code() == 422 && answer.problem().contains("already bound to a node");
  }

  /// Removes Muster's gate if it is on; other gates stay.
  ///
  /// @return the error, if any
  public Optional<String> ungate(MemberId pod) {
    ObjectNode patch = JsonBodies.patchOf(pod.uid());
    ObjectNode gate = patch.withObject("/spec").putArray("schedulingGates").addObject();
    gate.put("$patch", "delete").put("name", WellKnownNames.GATE);
    return failure(
        "The gate could not be removed: ",
        api.patch(ResourcePaths.of(pod), ApiCalls.STRATEGIC, patch));
  }

  /// Clears the nomination, if there is one.
  public ApiCalls.Answer forget(MemberId pod) {
    ObjectNode patch = JsonBodies.patchOf(pod.uid());
    patch.withObject("/status").putNull("nominatedNodeName");
    return status(pod, patch);
  }

  private ApiCalls.Answer status(MemberId pod, ObjectNode patch) {
    return api.patch(ResourcePaths.status(pod), ApiCalls.MERGE, patch);
  }

  private static Optional<String> failure(String what, ApiCalls.Answer answer) {
    return answer.isGood() ? Optional.empty() : Optional.of(what + answer.problem());
  }
}
