package dev.muster.core.engine;

import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Rank;
import dev.muster.core.admission.Runs;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Hold;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.topology.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What the engine carries from turn to turn: the facts, and what it last said of each gang.
///
/// @param cluster all that is true now
/// @param standing the last decision on each gang that waits
/// @param waiting who waits for what
/// @param shown what was shown of each gang
/// @param runs how long gangs ran
/// @param outlooks since when each of the first gangs waits to be planned a start
/// @param preemptions who is being stopped for whom
/// @param vain for whom a start was sought in vain
/// @param broken since when each gang that ran whole lacks members to its minimum
public record State(
    Cluster cluster,
    SortedTable<GangId, Decision> standing,
    Waiting waiting,
    Shown shown,
    Runs runs,
    SortedTable<GangId, Outlook> outlooks,
    Preemptions preemptions,
    Vain vain,
    SortedTable<GangId, Instant> broken) {
  private static final Duration REST = Duration.ofSeconds(10);

  /// A status, and when it was shown.
  public record Published(GangStatus status, Instant at) {}

  /// Before anything was seen.
  public static State empty(Topology topology) {
    return of(Cluster.empty(topology));
  }

  /// Before anything was seen, in a run with these policies.
  public static State empty(Topology topology, Policies policies) {
    return of(Cluster.empty(topology, policies.queues().halfLife()));
  }

  /// The same state in a world where nobody looks: no gang's status is worded or shown.
  public State unseen() {
    return with(Shown.UNSEEN);
  }

  /// An image of which nothing was said yet.
  public static State of(Cluster cluster) {
    return new State(
        cluster,
        SortedTable.empty(),
        Waiting.NONE,
        Shown.NOTHING,
        Runs.NONE,
        SortedTable.empty(),
        Preemptions.NONE,
        Vain.NOBODY,
        SortedTable.empty());
  }

  /// What was last shown of each gang.
  public SortedTable<GangId, Published> published() {
    return shown.published();
  }

  /// Why the gang waits, as of now; empty when it does not.
  public Optional<Explanation> why(GangId gang) {
    return waiting
        .classOf(gang)
        .map(WaitClass::why)
        .or(() -> standing.get(gang).map(Decision::why));
  }

  /// Why the gang may not try at all; empty when it may.
  Optional<Veto> veto(Gang gang, Policies policies) {
    Optional<Veto> few = policies.quorum().veto(cluster, gang);
    return few.isPresent() && !isJoined(gang, policies)
        ? few
        : policies.quota().veto(cluster, gang);
  }

  /// Whether the gang runs and takes whoever comes, though with them it still has fewer members
  /// than it must start with: those that it lost have had their time to be replaced together.
  private boolean isJoined(Gang gang, Policies policies) {
    boolean starts = cluster.reservations().get(gang.id()).filter(r -> !r.ran()).isPresent();
    boolean repairs =
        broken
            .get(gang.id())
            .filter(since -> !policies.isRepairOver(since, cluster.now()))
            .isPresent();
    return gang.spec().isPresent() && gang.boundCount() > 0 && !starts && !repairs;
  }

  /// How many gangs that wait for room or quota come before this one, given the order; those that
  /// would not start whatever came free are in nobody's way.
  public int before(GangId gang, FairShare order) {
    Rank own = order.rank(cluster, cluster.gang(gang));
    int before = 0;
    for (WaitClass waits : waiting.classes()) {
      for (GangId other : waits.hasHope() ? waits.gangs() : List.<GangId>of()) {
        before += order.rank(cluster, cluster.gang(other)).compareTo(own) < 0 ? 1 : 0;
      }
    }
    return before;
  }

  /// Whether the gang waits for room that it needs. Of its class the answer counts, not what others
  /// in it lack: they may be withdrawn.
  boolean waitsForRoom(GangId gang) {
    return waiting.classOf(gang).filter(WaitClass::needsRoom).isPresent() && lacksMembers(gang);
  }

  /// Whether these gangs wait for room that they need: those that have their minimum grow when
  /// there is room, but none is made or kept free for them.
  boolean waitsForRoom(WaitClass waits) {
    return waits.needsRoom() && lacksMembers(waits.first());
  }

  private boolean lacksMembers(GangId gang) {
    return cluster.lacking(cluster.gang(gang)) > 0;
  }

  boolean isReleased(GangId gang) {
    return standing.get(gang).filter(Decision.Release.class::isInstance).isPresent();
  }

  /// The same state with another image.
  public State with(Cluster other) {
    return new State(other, standing, waiting, shown, runs, outlooks, preemptions, vain, broken);
  }

  /// The same state with a decision standing.
  public State with(Decision decision) {
    var decided = standing.with(decision.gang(), decision);
    return new State(cluster, decided, waiting, shown, runs, outlooks, preemptions, vain, broken);
  }

  /// With the gang, of which this was decided, waiting in its class.
  State waiting(Gang gang, WaitClass asked, Decision decision) {
    boolean outdated =
        waiting
            .classes()
            .get(asked.key())
            .filter(old -> !old.isAnswered(decision.why()))
            .isPresent();
    State decided = outdated ? with(decision).with(shown.outdating(asked.key())) : with(decision);
    return decided.with(waiting.with(gang, asked));
  }

  /// With the gang, of which this was decided, to be tried again no sooner than after a rest,
  /// unless something is seen of it.
  State resting(Decision decision) {
    return with(decision).with(waiting.with(decision.gang(), cluster.now().plus(REST)));
  }

  /// With nothing more to say of the gang.
  State settled(GangId gang) {
    return new State(
        cluster,
        standing.without(gang),
        waiting.without(gang),
        shown,
        runs,
        outlooks.without(gang),
        preemptions,
        vain,
        broken);
  }

  State with(Waiting other) {
    return new State(cluster, standing, other, shown, runs, outlooks, preemptions, vain, broken);
  }

  State with(Runs other) {
    return new State(cluster, standing, waiting, shown, other, outlooks, preemptions, vain, broken);
  }

  /// The outlook of the gang. Where nothing is known of it, it begins at this time: a plan may
  /// outlive it, as where the only pod is made anew and nobody waits for it in between.
  Outlook outlook(GangId gang, Instant since) {
    return outlooks.get(gang).orElseGet(() -> new Outlook(since, since, Optional.empty()));
  }

  State with(GangId gang, Outlook outlook) {
    return new State(
        cluster,
        standing,
        waiting,
        shown,
        runs,
        outlooks.with(gang, outlook),
        preemptions,
        vain,
        broken);
  }

  State with(Shown other) {
    return new State(cluster, standing, waiting, other, runs, outlooks, preemptions, vain, broken);
  }

  State with(Preemptions other) {
    return new State(cluster, standing, waiting, shown, runs, outlooks, other, vain, broken);
  }

  State with(Vain other) {
    return new State(cluster, standing, waiting, shown, runs, outlooks, preemptions, other, broken);
  }

  /// With the preemption over: only these victims are still seen off, the others stay.
  State callingOff(Preemption preemption, SortedTable<GangId, Preemption.Stop> begun) {
    boolean vacating = cluster.holds().get(preemption.gang()).filter(Hold::isVacated).isPresent();
    State left = vacating ? with(cluster.withoutHold(preemption.gang())) : this;
    return left.with(left.preemptions.with(preemption.calledOff(begun)));
  }

  State broken(SortedTable<GangId, Instant> other) {
    return new State(cluster, standing, waiting, shown, runs, outlooks, preemptions, vain, other);
  }
}
