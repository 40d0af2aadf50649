package dev.muster.core.state;

import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Rank;
import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.Hold;
import dev.muster.core.state.PublishedStatuses.Published;
import dev.muster.core.topology.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The state is what the engine carries from step to step: the facts, and its own memory.
///
/// The memory has four parts that remember an earlier answer. They have no common rule by which
/// they become invalid, since each is asked another question: a reason to wait holds until
/// something comes that its [WaitClass] waits for; a published status is compared with the status
/// of now; the baseline of a review is compared with the image of now; a failed plan ([FailedPlans]) holds
/// until anything but time has changed.
///
/// @param cluster all that is true now
/// @param waiting which gangs wait for what, and why
/// @param shown the published status of each gang
/// @param forecasts how long gangs run, and when waiting ones are to start
/// @param preemptions which gangs are being stopped for which
/// @param broken since when each gang that ran whole lacks members to its minimum
public record State(
    Cluster cluster,
    WaitingGangs waiting,
    PublishedStatuses statuses,
    StartForecasts forecasts,
    Preemptions preemptions,
    SortedTable<GangId, Instant> broken) {
  private static final Duration REST = Duration.ofSeconds(10);

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
    return with(PublishedStatuses.UNSEEN);
  }

  /// An image of which nothing was said yet.
  public static State of(Cluster cluster) {
    return new State(
        cluster,
        WaitingGangs.NONE,
        PublishedStatuses.NOTHING,
        StartForecasts.NONE,
        Preemptions.NONE,
        SortedTable.empty());
  }

  /// The last decision on each gang that waits, or that was released.
  public SortedTable<GangId, Decision> standing() {
    return waiting.standing();
  }

  /// How long gangs ran.
  public RuntimeHistory history() {
    return forecasts.history();
  }

  /// Since when each of the first gangs waits to be planned a start.
  public SortedTable<GangId, StartForecast> startForecasts() {
    return forecasts.forecasts();
  }

  /// The gangs for which no start could be planned.
  public FailedPlans failedPlans() {
    return forecasts.failedPlans();
  }

  /// What was last shown of each gang.
  public SortedTable<GangId, Published> published() {
    return statuses.published();
  }

  /// The status that was last shown of the gang.
  public Optional<GangStatus> publishedStatus(GangId gang) {
    return published().get(gang).map(Published::status);
  }

  /// Why the gang waits, as of now; empty when it does not.
  public Optional<Explanation> why(GangId gang) {
    return waiting
        .classOf(gang)
        .map(WaitClass::why)
        .or(() -> standing().get(gang).map(Decision::why));
  }

  /// Why the gang may not try at all; empty when it may.
  public Optional<Veto> veto(Gang gang, Policies policies) {
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
  public boolean waitsForRoom(GangId gang) {
    return waiting.classOf(gang).filter(WaitClass::needsRoom).isPresent() && lacksMembers(gang);
  }

  /// Whether these gangs wait for room that they need: those that have their minimum grow when
  /// there is room, but none is made or kept free for them.
  public boolean waitsForRoom(WaitClass waits) {
    return waits.needsRoom() && lacksMembers(waits.first());
  }

  private boolean lacksMembers(GangId gang) {
    return cluster.lacking(cluster.gang(gang)) > 0;
  }

  public boolean isReleased(GangId gang) {
    return standing().get(gang).filter(Decision.Release.class::isInstance).isPresent();
  }

  /// The same state with another image.
  public State with(Cluster other) {
    return new State(other, waiting, statuses, forecasts, preemptions, broken);
  }

  /// The same state with other gangs waiting.
  public State with(WaitingGangs other) {
    return new State(cluster, other, statuses, forecasts, preemptions, broken);
  }

  public State with(PublishedStatuses other) {
    return new State(cluster, waiting, other, forecasts, preemptions, broken);
  }

  public State with(StartForecasts other) {
    return new State(cluster, waiting, statuses, other, preemptions, broken);
  }

  public State with(Preemptions other) {
    return new State(cluster, waiting, statuses, forecasts, other, broken);
  }

  public State broken(SortedTable<GangId, Instant> other) {
    return new State(cluster, waiting, statuses, forecasts, preemptions, other);
  }

  public State with(VictimSearchPacing other) {
    return with(preemptions.with(other));
  }

  public State with(PreemptionHistory other) {
    return with(preemptions.with(other));
  }

  public State with(RuntimeHistory other) {
    return with(forecasts.with(other));
  }

  public State with(FailedPlans other) {
    return with(forecasts.with(other));
  }

  public State with(GangId gang, StartForecast forecast) {
    return with(forecasts.with(gang, forecast));
  }

  /// With the gang, of which this was decided, waiting in its class.
  public State waiting(Gang gang, WaitClass asked, Decision decision) {
    boolean outdated =
        waiting
            .classes()
            .get(asked.key())
            .filter(old -> !old.isAnswered(decision.why()))
            .isPresent();
    State told = outdated ? with(statuses.outdating(asked.key())) : this;
    return told.with(waiting.with(gang, asked, decision));
  }

  /// With the gang, of which this was decided, to be tried again no sooner than after a rest,
  /// unless something is seen of it.
  public State resting(Decision decision) {
    return with(waiting.with(decision, cluster.now().plus(REST)));
  }

  /// With nothing more to say of the gang.
  public State settled(GangId gang) {
    return with(waiting.without(gang)).with(forecasts.without(gang));
  }

  /// The outlook of the gang. Where nothing is known of it, it begins at this time: a plan may
  /// outlive it, as where the only pod is made anew and nobody waits for it in between.
  public StartForecast forecast(GangId gang, Instant since) {
    return startForecasts().get(gang).orElseGet(() -> new StartForecast(since, since, Optional.empty()));
  }

  /// With the preemption over: only these victims are still seen off, the others stay.
  public State callingOff(Preemption preemption, SortedTable<GangId, Preemption.Stop> begun) {
    boolean vacating = cluster.holds().get(preemption.gang()).filter(Hold::isVacated).isPresent();
    State left = vacating ? with(cluster.withoutHold(preemption.gang())) : this;
    return left.with(left.preemptions.with(preemption.calledOff(begun)));
  }
}
