package dev.muster.server.http.extender;

import dev.muster.core.admission.Quorum;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.cluster.PodLocations;
import dev.muster.core.cluster.Promise;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.State;
import java.util.Optional;

/// Where a pod may go, read off one image. Asking commits nothing: kube-scheduler may ask twice,
/// for one node only, or never bind.
public sealed interface AllowedNodes {
  /// The pod is none of ours.
  record Anywhere() implements AllowedNodes {}

  /// The node promised to it, or the one it is bound to.
  record Only(NodeId node) implements AllowedNodes {}

  /// No node yet.
  ///
  /// @param reason equal bytes as long as the reason is the same: no counts, no times
  /// @param decided whether Muster has seen the pod and has come to this; else it will in a moment
  record Nowhere(String reason, boolean decided) implements AllowedNodes {}

  /// What is said of a pod whose creation has not reached us.
  String UNSEEN = "muster has not seen this pod yet";

  /// What is said of a gang that was not tried yet.
  String UNDECIDED = "PendingEvaluation";

  /// Where the pod may go.
  ///
  /// @param ours whether the pod is ours to place; then it must be identified
  static AllowedNodes of(ExtenderPod pod, boolean ours, State state) {
    if (!ours) {
      return new Anywhere();
    }
    Cluster cluster = state.cluster();
    return seat(pod, cluster)
        .or(() -> promise(pod, cluster))
        .<AllowedNodes>map(Only::new)
        .orElseGet(() -> nowhere(pod, state));
  }

  private static Optional<NodeId> seat(ExtenderPod pod, Cluster cluster) {
    return cluster.locations().get(pod.id()).map(PodLocations.PodLocation::node);
  }

  private static Optional<NodeId> promise(ExtenderPod pod, Cluster cluster) {
    return member(pod, cluster)
        .flatMap(member -> cluster.reservations().get(member.gang()))
        .flatMap(reservation -> reservation.open(pod.id()))
        .map(Promise::node);
  }

  private static Optional<Member> member(ExtenderPod pod, Cluster cluster) {
    return pod.gangs().stream()
        .flatMap(id -> cluster.gang(id).members().get(pod.id()).stream())
        .findFirst();
  }

  private static Nowhere nowhere(ExtenderPod pod, State state) {
    return member(pod, state.cluster())
        .map(Member::gang)
        .map(gang -> waiting(gang, token(gang, state)))
        .orElse(new Nowhere(UNSEEN, false));
  }

  private static Nowhere waiting(GangId gang, String token) {
    return new Nowhere(
        "muster: gang %s waits: %s".formatted(gang, token), !token.equals(UNDECIDED));
  }

  /// The reason of the standing decision, else what the facts say.
  private static String token(GangId id, State state) {
    return state
        .why(id)
        .flatMap(Explanation::main)
        .map(ReasonText::token)
        .orElseGet(() -> token(state.cluster().gang(id), state.cluster().phase(id)));
  }

  private static String token(Gang gang, GangPhase phase) {
    return switch (phase) {
      case GATHERING ->
          gang.spec().isEmpty() ? ReasonText.token(Quorum.undeclared(gang)) : "WaitingForMembers";
      case PENDING, RESERVED, BOUND, LEAVING, GONE -> UNDECIDED;
    };
  }
}
