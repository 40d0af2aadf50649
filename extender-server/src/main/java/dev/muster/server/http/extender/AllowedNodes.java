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

/// The nodes that a pod may use, derived from one image. A query commits nothing: kube-scheduler
/// may ask twice, ask for one node only, or never bind.
public sealed interface AllowedNodes {
  /// The pod is not placed by Muster and may use any node.
  record Anywhere() implements AllowedNodes {}

  /// The pod may use one node: the promised one, or the one to which it is bound.
  record Only(NodeId node) implements AllowedNodes {}

  /// The pod may use no node yet.
  ///
  /// @param reason text that is byte-equal while the reason is unchanged: no counts, no times
  /// @param decided true if Muster has seen the pod and decided; otherwise a decision follows soon
  record Nowhere(String reason, boolean decided) implements AllowedNodes {}

  /// The reason for a pod whose creation has not reached Muster.
  String UNSEEN = "muster has not seen this pod yet";

  /// The reason for a gang without an attempt so far.
  String UNDECIDED = "PendingEvaluation";

  /// Returns the nodes that the pod may use.
  ///
  /// @param ours true if Muster places the pod; then it must be identified
  static AllowedNodes of(ExtenderPod pod, boolean ours, State state) {
    if (!ours) {
      return new Anywhere();
    }
    Cluster cluster = state.cluster();
    return location(pod, cluster)
        .or(() -> promise(pod, cluster))
        .<AllowedNodes>map(Only::new)
        .orElseGet(() -> nowhere(pod, state));
  }

  private static Optional<NodeId> location(ExtenderPod pod, Cluster cluster) {
    return cluster.locations().get(pod.id()).map(PodLocations.PodLocation::node);
  }

  private static Optional<NodeId> promise(ExtenderPod pod, Cluster cluster) {
    return member(pod, cluster)
        .flatMap(member -> cluster.reservations().get(member.gang()))
        .flatMap(reservation -> reservation.open(pod.id()))
        .map(Promise::node);
  }

  /// Returns the member that the pod is in the image, if any.
  static Optional<Member> member(ExtenderPod pod, Cluster cluster) {
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

  /// Returns the reason of the current decision, else the reason that follows from the gang's
  /// phase.
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
