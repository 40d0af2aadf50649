package dev.muster.server.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
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
  private static final String NOT_NOMINATED = "The nomination failed: ";

  /// Nominates the pod and takes our gate off; other gates stay.
  ///
  /// @return what went wrong, if anything
  Optional<String> perform(Effect.StartMember start) {
    MemberId pod = start.member();
    ArrayNode nomination =
        Json.array()
            .add(Json.operation("test", "/metadata/uid", pod.uid()))
            .add(Json.operation("add", "/status/nominatedNodeName", start.node().name()));
    Api.Answer nominated =
        api.patch(Api.pod(pod.namespace(), pod.name(), "status"), Api.JSON_PATCH, nomination);
    if (!nominated.isGood()) {
      return Optional.of(NOT_NOMINATED + nominated.problem());
    }
    int gate = gateIndex(nominated.json());
    return gate >= 0 ? ungate(pod, gate) : Optional.empty();
  }

  /// Nominates a pod without gate, and touches it in the same patch: kube-scheduler tries a pod
  /// that it refused again when more of it has changed than its status.
  ///
  /// @return what went wrong, if anything
  Optional<String> wake(Effect.StartMember start) {
    MemberId pod = start.member();
    ObjectNode patch = Json.annotation(Names.NOMINATED_AT, clock.instant().toString());
    patch.withObject("/metadata").put("uid", pod.uid());
    patch.putObject("status").put("nominatedNodeName", start.node().name());
    return failure(
        NOT_NOMINATED, api.patch(Api.pod(pod.namespace(), pod.name(), "status"), Api.MERGE, patch));
  }

  /// Takes our gate off a pod that has no other, and leaves it to `/filter` to say where it goes.
  ///
  /// @return what went wrong, if anything
  Optional<String> ungate(MemberId pod) {
    return ungate(pod, 0);
  }

  /// Takes the nomination back; does nothing where there is none.
  Api.Answer forget(MemberId pod) {
    ObjectNode patch = Json.object();
    patch.putObject("metadata").put("uid", pod.uid());
    patch.putObject("status").putNull("nominatedNodeName");
    return api.patch(Api.pod(pod.namespace(), pod.name(), "status"), Api.MERGE, patch);
  }

  private static int gateIndex(JsonNode pod) {
    JsonNode gates = pod.path("spec").path("schedulingGates");
    for (int i = 0; i < gates.size(); i++) {
      if (Names.GATE.equals(gates.path(i).path("name").asText())) {
        return i;
      }
    }
    return -1;
  }

  private Optional<String> ungate(MemberId pod, int index) {
    String gate = "/spec/schedulingGates/" + index;
    ArrayNode removal =
        Json.array()
            .add(Json.operation("test", "/metadata/uid", pod.uid()))
            .add(Json.operation("test", gate + "/name", Names.GATE))
            .add(Json.object().put("op", "remove").put("path", gate));
    return failure(
        "The gate could not be removed: ",
        api.patch(Api.pod(pod.namespace(), pod.name(), ""), Api.JSON_PATCH, removal));
  }

  private static Optional<String> failure(String what, Api.Answer answer) {
    return answer.isGood() ? Optional.empty() : Optional.of(what + answer.problem());
  }
}
