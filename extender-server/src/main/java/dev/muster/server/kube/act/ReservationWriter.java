package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the record of a gang's reservation to its PodGroup, and clears it.
///
/// Lone pods and some Volcano gangs have no PodGroup. Then the nominations of the pods record the
/// promises.
///
/// @param api access to the API server
/// @param objects current PodGroups and pods
/// @param memberStart writer of nominations
/// @param throttle limiter of log lines about records that stay
public record ReservationWriter(
    ApiCalls api, GangObjects objects, MemberStart memberStart, LogThrottle throttle) {
  private static final Logger log = LoggerFactory.getLogger(ReservationWriter.class);

  /// Writes the record, if the gang has a PodGroup.
  ///
  /// @param ran whether the gang runs already; otherwise what is recorded of its last run is
  ///   removed
  /// @return the answer of the API server
  public ApiCalls.Answer record(GangId gang, String record, boolean ran) {
    Optional<GenericKubernetesResource> group = objects.find(gang);
    if (group.isEmpty()) {
      return switch (gang.origin()) {
        case POD, VOLCANO -> new ApiCalls.Answer(200, "{}");
        case POD_GROUP, NATIVE ->
            ApiCalls.Answer.unsent("The PodGroup %s does not exist.".formatted(gang));
      };
    }
    ObjectNode patch = patch(group.get(), record);
    if (!ran) {
      annotations(patch).putNull(WellKnownNames.RAN_WITH);
    }
    return api.patch(ResourcePaths.of(group.get()), ApiCalls.MERGE, patch);
  }

  /// Clears the nominations of the pods, then the record of the gang.
  ///
  /// The nominations come first, since kube-scheduler keeps the nodes for nominated pods, even
  /// gated ones. After a crash, the record shows that this is still to be done.
  ///
  /// @param unbound pods of the gang without a node
  /// @param retries retries after a failure
  public void clear(Effect.ClearReservation clear, List<MemberId> unbound, Retries retries) {
    GangId gang = clear.gang();
    for (MemberId member : unbound) {
      ApiCalls.Answer answer = retries.until(() -> memberStart.forget(member));
      if (isNews("nomination", answer)) {
        log.warn("The nomination of {} was not cleared: {}", member, answer.problem());
      }
    }
    Optional<GenericKubernetesResource> group = objects.find(gang);
    if (group.isPresent()) {
      ObjectNode patch = patch(group.get(), null);
      clear
          .ranWith()
          .ifPresent(least -> annotations(patch).put(WellKnownNames.RAN_WITH, "" + least));
      ApiCalls.Answer answer =
          retries.until(() -> api.patch(ResourcePaths.of(group.get()), ApiCalls.MERGE, patch));
      if (isNews("record", answer)) {
        log.warn("The reservation record on {} was not cleared: {}", gang, answer.problem());
      }
    }
  }

  /// True if the failure is to be logged. A tenant may cause many, with any text.
  private boolean isNews(String what, ApiCalls.Answer answer) {
    return !answer.isGood() && !answer.isGone() && throttle.isNew(what + answer.code());
  }

  private static ObjectNode patch(GenericKubernetesResource group, @Nullable String record) {
    ObjectNode patch = JsonBodies.patchOf(group.getMetadata().getUid());
    annotations(patch).put(WellKnownNames.RESERVATION, record);
    return patch;
  }

  private static ObjectNode annotations(ObjectNode patch) {
    return patch.withObject("/metadata/annotations");
  }
}
