package dev.muster.server.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.engine.Effect;
import dev.muster.core.gang.MemberId;
import java.time.InstantSource;
import java.util.Optional;

/// Lets kube-scheduler have a pod: first the nomination, if there is to be one, then the gate, in
/// this order, since a nomination counts from the moment it stands and a gate cannot be put back.
///
/// Every patch is guarded by the pod's uid: a pod of the same name may have taken its place.
record MemberStart(Api api, InstantSource clock) {
  /// Nominates the pod and takes our gate off; other gates stay.
  ///
  /// @return what went wrong, if anything
  Optional<String> perform(Effect.StartMember start) {
    return nominate(start, Json.patchOf(start.member().uid())).or(() -> ungate(start.member()));
  }

  /// Nominates a pod without gate, and touches it in the same patch: kube-scheduler tries a pod
  /// that it refused again when more of it has changed than its status.
  ///
  /// @return what went wrong, if anything
  Optional<String> wake(Effect.StartMember start) {
    ObjectNode patch = Json.patchOf(start.member().uid());
    patch.withObject("/metadata/annotations").put(Names.NOMINATED_AT, clock.instant().toString());
    return nominate(start, patch);
  }

  private Optional<String> nominate(Effect.StartMember start, ObjectNode patch) {
    patch.withObject("/status").put("nominatedNodeName", start.node().name());
    return failure("The nomination failed: ", status(start.member(), patch));
  }

  /// Takes our gate off, if it is on; other gates stay.
  ///
  /// @return what went wrong, if anything
  Optional<String> ungate(MemberId pod) {
    ObjectNode patch = Json.patchOf(pod.uid());
    ObjectNode gate = patch.withObject("/spec").putArray("schedulingGates").addObject();
    gate.put("$patch", "delete").put("name", Names.GATE);
    return failure(
        "The gate could not be removed: ", api.patch(Paths.of(pod), Api.STRATEGIC, patch));
  }

  /// Takes the nomination back; does nothing where there is none.
  Api.Answer forget(MemberId pod) {
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
