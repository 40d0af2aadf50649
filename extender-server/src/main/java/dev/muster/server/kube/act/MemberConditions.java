package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.InstantSource;
import java.util.Optional;

/// Writes the condition that tells why a member of a gang waits, and withdraws it once it runs.
///
/// Only gated pods get it. kube-scheduler tells others itself, and would retry them after each
/// write. While the gang waits as a whole, a pod is written once for each reason. A member that
/// waits while others run also gets new sentences, since it may be the reason for their eviction.
/// The number of pods is limited, in rank order.
///
/// @param api access to the API server
/// @param objects current pods
/// @param clock time of transitions
/// @param pass called before each write, which may let other work go first
record MemberConditions(ApiCalls api, GangObjects objects, InstantSource clock, Runnable pass) {
  private static final int PODS = 64;

  /// Writes what has changed on the members of the notice.
  ///
  /// @return false if a retry may succeed
  boolean write(StatusWriter.Notice notice) {
    boolean stands = true;
    int waiting = 0;
    for (Member member : notice.members()) {
      Optional<PodCondition> shown = objects.admitted(member.id());
      if (notice.isForPods() && member.wantsNode() && member.state() instanceof MemberState.Held) {
        waiting++;
        boolean known = shown.filter(condition -> tells(condition, notice)).isPresent();
        stands &= known || waiting > PODS || patch(member, notice, false);
      } else if (member.isBound() && shown.filter(c -> "False".equals(c.getStatus())).isPresent()) {
        stands &= patch(member, notice, true);
      }
    }
    return stands;
  }

  private static boolean tells(PodCondition shown, StatusWriter.Notice notice) {
    return "False".equals(shown.getStatus())
        && notice.status().reason().equals(shown.getReason())
        && (!notice.status().waitsInPart() || notice.status().message().equals(shown.getMessage()));
  }

  private boolean patch(Member member, StatusWriter.Notice notice, boolean runs) {
    ObjectNode patch = JsonBodies.patchOf(member.id().uid());
    patch
        .putObject("status")
        .putArray("conditions")
        .add(
            JsonBodies.condition(
                    WellKnownNames.POD_ADMITTED, runs, runs ? "Bound" : notice.status().reason())
                .put("message", runs ? "The pod has a node." : notice.status().message())
                .put("lastTransitionTime", JsonBodies.time(clock.instant())));
    pass.run();
    ApiCalls.Answer answer =
        api.patch(ResourcePaths.status(member.id()), ApiCalls.STRATEGIC, patch);
    return !answer.isPassing();
  }
}
