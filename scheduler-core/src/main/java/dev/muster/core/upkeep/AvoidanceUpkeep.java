package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.decision.StartFailureText;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.AvoidedNodes;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Effect;
import java.time.Instant;
import java.util.Optional;

/// Avoidance upkeep remembers on which nodes members of a gang failed, and forgets it in time.
///
/// Pods that fail early are noted here, if their nodes were promised to them. Anybody can create a
/// pod that names a node and fails there: that says nothing about the node. Refusals of
/// kube-scheduler and members that were not bound in time are noted by [StartProgress] and
/// [ReservationUpkeep].
///
/// A node that was repaired is forgotten at once: it was cordoned, faulty or gone, and is not any
/// more. [DoubtfulAnswers] has the gangs tried again that may use more nodes.
public final class AvoidanceUpkeep {
  /// The number of gangs that must avoid a node before a warning is given about the node.
  private static final int WARNED_AT = 3;

  private final CycleResult result;
  private final Cluster before;
  private Cluster cluster;

  private AvoidanceUpkeep(Cycle cycle) {
    this.result = cycle.result();
    this.before = cycle.before().cluster();
    this.cluster = cycle.state().cluster();
  }

  /// Updates the avoided nodes that the event concerns.
  public static Cycle run(Cycle cycle) {
    AvoidanceUpkeep upkeep = new AvoidanceUpkeep(cycle);
    switch (cycle.event()) {
      case Event.OfGang said -> said.facts().forEach(upkeep::take);
      case Event.NodeSeen(_, Node node) -> upkeep.repaired(node);
      case Event.Tick(Instant now, _) ->
          upkeep.cluster = upkeep.cluster.with(upkeep.cluster.avoidance().at(now));
      case Event.NodeGone _,
          Event.UnmanagedPodSeen _,
          Event.UnmanagedPodGone _,
          Event.Synced _,
          Event.PolicyChanged _,
          Event.BudgetsSpent _,
          Event.Outcome _ -> {}
    }
    return cycle.with(upkeep.cluster);
  }

  private void take(Event.GangFact fact) {
    if (fact instanceof Event.MemberSeen(_, Member member)
        && member.state() instanceof MemberState.Ended(_, Optional<MemberState.EarlyFailure> early)
        && early.isPresent()
        && !hadEnded(member)
        && before.isChosen(member, early.get().node())) {
      AvoidedNodes.Cause cause =
          early.get().rejected() ? AvoidedNodes.Cause.REJECTED : AvoidedNodes.Cause.DIED;
      cluster = failed(cluster, member.gang(), early.get().node(), cause, Optional.empty(), result);
    }
    if (cluster.avoidance().byGang().contains(fact.gang())
        && !cluster.gangs().contains(fact.gang())) {
      cluster = cluster.avoiding(fact.gang(), AvoidedNodes.NONE);
    }
  }

  private boolean hadEnded(Member member) {
    return before
        .gang(member.gang())
        .members()
        .get(member.id())
        .filter(old -> old.state() instanceof MemberState.Ended)
        .isPresent();
  }

  /// Returns the image after a failure of the gang on the node. If the gang avoids the node from
  /// now on, this is reported.
  static Cluster failed(
      Cluster cluster,
      GangId gang,
      NodeId node,
      AvoidedNodes.Cause cause,
      Optional<String> message,
      CycleResult result) {
    AvoidedNodes old = cluster.avoided(gang);
    AvoidedNodes now = old.after(node, cause, cluster.now(), message);
    Cluster after = cluster.avoiding(cluster.failing(gang), now);
    result.touch(gang);
    AvoidedNodes.Failures known = now.failures().get(node).orElseThrow();
    boolean avoidsMore = known.isStrict() && !old.strict().contains(node);
    if (avoidsMore) {
      result.add(
          new Effect.Report(
              gang, Optional.empty(), "NodeAvoided", StartFailureText.sentence(known)));
      Optional<Warning> warning = Warning.of(after.gangsAvoiding(node));
      if (warning.isPresent() && !warning.equals(Warning.of(cluster.gangsAvoiding(node)))) {
        result.add(
            new Effect.Report(
                gang,
                Optional.of(node),
                warning.get().reason,
                StartFailureText.warning(node, after.gangsAvoiding(node), known)));
      }
    }
    return after;
  }

  /// A warning about a node that several gangs avoid.
  ///
  /// Tenants can make their own pods fail. So failures in one namespace get another reason than
  /// those in several ones, and do not hide them.
  private enum Warning {
    ONE_NAMESPACE("NamespaceAvoidsNode"),
    SEVERAL_NAMESPACES("GangsAvoidNode");

    private final String reason;

    Warning(String reason) {
      this.reason = reason;
    }

    static Optional<Warning> of(SortedKeys<GangId> gangs) {
      if (gangs.size() < WARNED_AT) {
        return Optional.empty();
      }
      return Optional.of(GangId.isOneNamespace(gangs) ? ONE_NAMESPACE : SEVERAL_NAMESPACES);
    }
  }

  private void repaired(Node node) {
    Optional<NodeState> old = before.nodes().get(node.id());
    boolean wasUnfit = old.isEmpty() || isUnfit(old.get().node());
    if (wasUnfit && !isUnfit(node)) {
      cluster = cluster.with(cluster.avoidance().without(node.id()));
    }
  }

  private static boolean isUnfit(Node node) {
    return node.cordoned() || !node.faults().isEmpty();
  }

  /// Returns the image after the promised members were not bound in time.
  static Cluster notBound(Cluster cluster, Reservation held, CycleResult result) {
    Cluster after = cluster;
    for (Promise promise : held.promises()) {
      after =
          failed(
              after,
              held.gang(),
              promise.node(),
              AvoidedNodes.Cause.NOT_BOUND,
              Optional.empty(),
              result);
    }
    return after;
  }
}
