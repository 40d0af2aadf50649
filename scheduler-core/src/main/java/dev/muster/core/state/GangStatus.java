package dev.muster.core.state;

import dev.muster.core.admission.Quorum;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.MessageLimit;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.decision.StartFailureText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/// A gang status is the published view of a gang: counts of its pods and one reason.
///
/// @param phase phase of the gang
/// @param minCount members that must start together; 0 while unknown
/// @param present members that count towards the minimum
/// @param bound members bound to nodes
/// @param succeeded members that succeeded
/// @param failed members that failed
/// @param reason a stable CamelCase token
/// @param message short text with numbers
public record GangStatus(
    GangPhase phase,
    int minCount,
    int present,
    int bound,
    int succeeded,
    int failed,
    String reason,
    String message) {
  public GangStatus {
    message = MessageLimit.cut(message);
  }

  private static final String NO_POD =
      "No pod names it yet. Possible causes: its pods do not exist, name another gang, namespace or scheduler, or have an Event InvalidSpecification.";

  /// Returns the status of a gang in this state.
  ///
  /// @param cluster the present facts, which may be newer than those of the state
  public static GangStatus of(Gang gang, Cluster cluster, State state, Policies policies) {
    Optional<Preemption> by = state.preemptions().by(gang.id());
    GangStatus status = of(gang, cluster, state.why(gang.id()), state.releaseAt(gang, policies));
    return by.map(preemption -> status.stopped(preemption, gang)).orElse(status);
  }

  private GangStatus stopped(Preemption by, Gang gang) {
    Preemption.Stop stop = by.stops().get(gang.id()).orElseThrow();
    int leaving = stop.victim().members().size();
    String text =
        "%s preempted for %s by the rule %s%s. %d GPU-seconds of work are lost."
            .formatted(
                leaving < gang.members().size() ? leaving + " members are" : "It is",
                by.gang(),
                stop.victim().rule(),
                by.evicting() ? "" : stop.deadline().map(at -> ", at " + at).orElse(""),
                stop.victim().lostWork());
    return new GangStatus(
        phase, minCount, present, bound, succeeded, failed, Effect.PREEMPTED, text);
  }

  private static GangStatus of(
      Gang gang, Cluster cluster, Optional<Explanation> why, Optional<Instant> release) {
    GangPhase phase = cluster.phase(gang.id());
    Optional<Veto> veto = why.flatMap(Explanation::main).or(() -> lacking(gang, cluster, phase));
    return new GangStatus(
        phase,
        gang.minCount(),
        gang.presentCount(),
        gang.boundCount(),
        gang.succeededCount(),
        gang.failedCount(),
        veto.map(ReasonText::token).orElseGet(() -> reason(phase)),
        withIgnored(
            veto.map(v -> waits(gang, phase, v) + release(phase, release) + planned(gang, cluster))
                    .orElseGet(() -> message(gang, phase) + refused(gang, cluster))
                + overstated(gang, phase),
            gang));
  }

  /// Returns the sentence about a priority of the PodGroup that does not count.
  private static String overstated(Gang gang, GangPhase phase) {
    boolean ended = phase == GangPhase.LEAVING || phase == GangPhase.GONE;
    return gang.overstatedPriority()
        .filter(_ -> !ended)
        .map(asked ->
            " Its PodGroup asks for priority %d, but a pod has %d, which counts. Set priorityClassName on the pods."
                .formatted(asked, gang.priority()))
        .orElse("");
  }

  /// Returns the text, and after it the objects of the gang that do not count.
  public static String withIgnored(String text, Gang gang) {
    return gang.ignored()
        .map(objects -> ReasonText.ignored(objects, gang.spec().isPresent()))
        .filter(objects -> !objects.isEmpty())
        .map(objects -> MessageLimit.cut(text.isEmpty() ? objects : text + " " + objects))
        .orElse(text);
  }

  private static String refused(Gang gang, Cluster cluster) {
    return cluster
        .reservations()
        .get(gang.id())
        .flatMap(held -> refusal(gang, held, cluster.nodes().size()))
        .map(said -> " " + StartFailureText.sentence(said))
        .orElse("");
  }

  /// Returns what kube-scheduler said about the first member, by rank, that is to start and that it
  /// has refused.
  ///
  /// @param nodes number of nodes in the cluster; a refusal before kube-scheduler knew them is left
  ///   out
  public static Optional<Veto.Refusal> refusal(Gang gang, Reservation held, int nodes) {
    for (Member member : held.promises().isEmpty() ? List.<Member>of() : gang.waiting()) {
      Optional<Promise> promise = held.promises().get(member.id());
      if (promise.isPresent()
          && member.state() instanceof MemberState.Waiting waiting
          && waiting.message().isPresent()
          && !waiting.isPremature(nodes)) {
        return Optional.of(
            new Veto.Refusal(member.id(), promise.get().node(), waiting.message().get()));
      }
    }
    return Optional.empty();
  }

  /// Returns the members that a gang lacks while none of its pods needs a node. Such a gang is not
  /// tried, so it has no decision that could state this.
  private static Optional<Veto> lacking(Gang gang, Cluster cluster, GangPhase phase) {
    return phase == GangPhase.GATHERING
        ? new Quorum(Optional.empty()).veto(cluster, gang)
        : Optional.empty();
  }

  private static String waits(Gang gang, GangPhase phase, Veto veto) {
    if (gang.members().isEmpty() && veto instanceof Veto.TooFewMembers) {
      boolean named = gang.ignored().filter(Discrepancies::hasPods).isPresent();
      return named ? "" : NO_POD;
    }
    return phase == GangPhase.BOUND
        ? "%s, %d wait: %s"
            .formatted(run(gang), gang.wantingCount(), ReasonText.sentence(veto, gang.id()))
        : ReasonText.sentence(veto, gang.id());
  }

  private static String release(GangPhase phase, Optional<Instant> release) {
    return phase == GangPhase.BOUND && release.isPresent()
        ? " If they find no place until %s (repairTimeout), all members are evicted and start again together."
            .formatted(release.get().truncatedTo(ChronoUnit.SECONDS))
        : "";
  }

  private static String run(Gang gang) {
    return gang.boundCount() == 1 ? "1 member runs" : gang.boundCount() + " members run";
  }

  private static String planned(Gang gang, Cluster cluster) {
    return cluster
        .holds()
        .get(gang.id())
        .filter(hold -> hold.kind() != Hold.Kind.HOLE && hold.kind() != Hold.Kind.ENDING)
        .map(hold ->
            hold.isVacated()
                ? " Other gangs are being preempted for it on %s.".formatted(nodes(hold))
                : hold.promised()
                    .map(at -> " Planned to start at %s on %s.".formatted(at, nodes(hold)))
                    .orElseGet(
                        () -> " Capacity released on %s is kept for it.".formatted(nodes(hold))))
        .orElse("");
  }

  private static String nodes(Hold hold) {
    List<NodeId> nodes = hold.shares().keys();
    String first = nodes.getFirst().name();
    return nodes.size() == 1 ? first : "%d nodes from %s".formatted(nodes.size(), first);
  }

  private static String reason(GangPhase phase) {
    return switch (phase) {
      case GATHERING, PENDING -> "PendingEvaluation";
      case RESERVED -> "Starting";
      case BOUND -> "Running";
      case LEAVING -> "Ended";
      case GONE -> "Gone";
    };
  }

  private static String message(Gang gang, GangPhase phase) {
    int wanted = gang.boundCount() + gang.wantingCount();
    return switch (phase) {
      case GATHERING, PENDING -> "Not evaluated yet.";
      case RESERVED ->
          "Nodes are reserved. " + gang.boundCount() + " of " + wanted + " members are bound.";
      case BOUND -> run(gang) + ".";
      case LEAVING ->
          "No member runs or waits any more." + gang.end().map(GangStatus::ended).orElse("");
      case GONE -> "The gang does not exist any more.";
    };
  }

  private static String ended(GangPast.RunEnd end) {
    return " %d succeeded, %d failed.".formatted(end.succeeded(), end.failed());
  }

  /// True if members of the gang run and others wait for a place.
  public boolean waitsInPart() {
    return phase == GangPhase.BOUND
        && !reason.equals(reason(GangPhase.BOUND))
        && !reason.equals(Effect.PREEMPTED);
  }

  /// True if the other status differs at most in the wording of its message. The first words of
  /// kube-scheduler, or their end, make another status.
  public boolean sameButForWords(GangStatus other) {
    return StartFailureText.hasRefusal(message) == StartFailureText.hasRefusal(other.message)
        && new GangStatus(phase, minCount, present, bound, succeeded, failed, reason, other.message)
            .equals(other);
  }
}
