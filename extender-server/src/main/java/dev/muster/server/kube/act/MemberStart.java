package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.client.Api;
import dev.muster.server.kube.client.Json;
import dev.muster.server.kube.client.Names;
import dev.muster.server.kube.client.Paths;
import java.time.InstantSource;
import java.util.Optional;

/// Releases a pod to kube-scheduler: the nomination first, if needed, then the removal of the gate.
/// The order matters, since a nomination is effective at once and a gate cannot be put back.
///
/// Every patch carries the pod's uid, since another pod may have taken its name.
public record MemberStart(Api api, InstantSource clock) {
  /// Nominates the pod and removes Muster's gate; other gates stay.
  ///
  /// @return the error, if any
  public Optional<String> perform(Effect.StartMember start) {
    return nominate(start, Json.patchOf(start.member().uid())).or(() -> ungate(start.member()));
  }

  /// Nominates a pod without gate and changes an annotation, in one patch. The annotation is
  /// necessary: kube-scheduler retries a refused pod only if more than its status has changed.
  ///
  /// @return the error, if any
  public Optional<String> wake(Effect.StartMember start) {
    ObjectNode patch = Json.patchOf(start.member().uid());
    patch.withObject("/metadata/annotations").put(Names.NOMINATED_AT, clock.instant().toString());
    return nominate(start, patch);
  }

  private Optional<String> nominate(Effect.StartMember start, ObjectNode patch) {
    patch.withObject("/status").put("nominatedNodeName", start.node().name());
    return failure("The nomination failed: ", status(start.member(), patch));
  }

  /// Removes Muster's gate if it is on; other gates stay.
  ///
  /// @return the error, if any
  public Optional<String> ungate(MemberId pod) {
    ObjectNode patch = Json.patchOf(pod.uid());
    ObjectNode gate = patch.withObject("/spec").putArray("schedulingGates").addObject();
    gate.put("$patch", "delete").put("name", Names.GATE);
    return failure(
        "The gate could not be removed: ", api.patch(Paths.of(pod), Api.STRATEGIC, patch));
  }

  /// Clears the nomination, if there is one.
  public Api.Answer forget(MemberId pod) {
    ObjectNode patch = Json.patchOf(pod.uid());
    patch.withObject("/status").putNull("nominatedNodeName");
    return status(pod, patch);
  }

  private Api.Answer status(MemberId pod, ObjectNode patch) {
    return api.patch(Paths.status(pod), Api.MERGE, patch);
  }

  private static Optional<String> failure(String what, Api.Answer answer) {
    return answer.isGood() ? Optional.empty() : Optional.of(what + answer.problem());
  }
}
