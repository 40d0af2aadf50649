package dev.muster.core.state;

import dev.muster.core.admission.BudgetGate;
import dev.muster.core.admission.FairShare;
import dev.muster.core.admission.Rank;
import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.Hold;
import dev.muster.core.state.PublishedStatuses.Published;
import dev.muster.core.topology.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The state is all that the engine carries from step to step: the facts and its own memory.
///
/// Five parts of the memory keep an earlier answer. Each becomes invalid by its own rule:
///
/// - A reason to wait is valid until an event brings what its [WaitClass] waits for.
/// - A published status is compared with the present status.
/// - The baseline of a review is compared with the present image.
/// - A failed plan ([FailedPlans]) is valid until something other than time changes.
/// - An answer of the [VacantCluster] is valid until a node changes, comes or leaves.
///
/// @param cluster the present facts
/// @param waiting the waiting gangs with their reasons
/// @param statuses published status of each gang
/// @param forecasts runtimes of gangs and planned starts of waiting ones
/// @param preemptions preemptions under way and their history
/// @param searches searches of the last second that count
/// @param broken time since which a gang that ran complete lacks members of its minimum
/// @param repaired time from which a gang that is whole again may lack members for the full time
public record State(
    Cluster cluster,
    WaitingGangs waiting,
    PublishedStatuses statuses,
    StartForecasts forecasts,
    Preemptions preemptions,
    RecentSearches searches,
    SortedTable<GangId, Instant> broken,
    SortedTable<GangId, Instant> repaired) {
  private static final Duration REST = Duration.ofSeconds(10);

  /// Returns the state before the first event.
  public static State empty(Topology topology) {
    return of(Cluster.empty(topology));
  }

  /// Returns the state before the first event, in a run with these policies.
  public static State empty(Topology topology, Policies policies) {
    return of(
        Cluster.empty(topology, policies.queues().halfLife(), policies.queues().namespaces()));
  }

  /// Returns this state under these policies: gangs are charged to the queues that accept them.
  public State under(Policies policies) {
    return with(cluster.under(policies.queues().namespaces()));
  }

  /// Returns this state without readers: no status of a gang is worded or published.
  public State unseen() {
    return with(PublishedStatuses.UNSEEN);
  }

  /// Returns a state of an image in which nothing was decided yet.
  public static State of(Cluster cluster) {
    return new State(
        cluster,
        WaitingGangs.NONE,
        PublishedStatuses.NOTHING,
        StartForecasts.NONE,
        Preemptions.NONE,
        RecentSearches.NONE,
        SortedTable.empty(),
        SortedTable.empty());
  }

  /// Returns the last decision on each gang that waits or was released.
  public SortedTable<GangId, Decision> standing() {
    return waiting.standing();
  }

  /// Returns the runtimes of gangs that ended.
  public RuntimeHistory history() {
    return forecasts.history();
  }

  /// Returns the forecast of each of the first waiting gangs.
  public SortedTable<GangId, StartForecast> startForecasts() {
    return forecasts.forecasts();
  }

  /// Returns the gangs for which no start could be planned.
  public FailedPlans failedPlans() {
    return forecasts.failedPlans();
  }

  /// Returns the last published status of each gang, with its time.
  public SortedTable<GangId, Published> published() {
    return statuses.published();
  }

  /// Returns the last published status of the gang.
  public Optional<GangStatus> publishedStatus(GangId gang) {
    return published().get(gang).map(Published::status);
  }

  /// Returns the present reason of the gang to wait; empty when it does not wait.
  public Optional<Explanation> why(GangId gang) {
    return waiting
        .classOf(gang)
        .map(WaitClass::why)
        .or(() -> standing().get(gang).map(Decision::why));
  }

  /// Returns the reason why the gang may not be tried at all; empty when it may.
  public Optional<Veto> veto(Gang gang, Policies policies) {
    Optional<Veto> few = policies.quorum().veto(cluster, gang);
    return few.isPresent() && !isJoined(gang, policies) ? few : limit(gang, policies);
  }

  /// Returns the reason of the queue or a budget. What never ends comes first, and then what ends
  /// last.
  private Optional<Veto> limit(Gang gang, Policies policies) {
    Optional<Veto> quota = policies.quota().veto(cluster, gang);
    return quota
        .filter(veto -> veto.remedy() == Remedy.NEVER)
        .or(() -> BudgetGate.veto(cluster, gang))
        .or(() -> quota);
  }

  /// True if the gang runs and accepts new members one by one, even below its minimum. The members
  /// that it lost have had their time to be replaced together.
  private boolean isJoined(Gang gang, Policies policies) {
    boolean starts = cluster.reservations().contains(gang.id(), r -> !r.ran());
    boolean repairs =
        broken.contains(gang.id(), since -> !policies.isRepairOver(since, cluster.now()));
    return gang.spec().isPresent() && gang.boundCount() > 0 && !starts && !repairs;
  }

  /// Returns the time at which the gang is released, if replacements of lost members find no place.
  /// It is empty while the gang is not to be released. A promise has its time to be used, also
  /// beyond the time for repair.
  public Optional<Instant> releaseAt(Gang gang, Policies policies) {
    boolean ends =
        cluster.reservations().contains(gang.id(), held -> !held.rests())
            || preemptions.stopOf(gang.id()).isPresent()
            || !gang.isComplete()
            || !PendingMembers.exist(cluster, gang);
    return ends
        ? Optional.empty()
        : broken.get(gang.id()).map(since -> since.plus(policies.repairTimeout()));
  }

  /// Returns the number of waiting gangs that come before this one in the order. Only gangs that
  /// released capacity or quota could start are counted.
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

  /// True if the gang waits for capacity that its minimum needs. The remedy comes from its class,
  /// the missing members from the gang itself: the other gangs of the class may be withdrawn.
  public boolean waitsForRoom(GangId gang) {
    return waiting.classOf(gang).filter(WaitClass::needsRoom).isPresent() && lacksMembers(gang);
  }

  /// True if the gangs of a class wait for capacity that their minimum needs. A gang with its
  /// minimum grows when capacity is free, but none is vacated or kept for it.
  public boolean waitsForRoom(WaitClass waits) {
    return waits.needsRoom() && lacksMembers(waits.first());
  }

  /// True if the gang waits for capacity or quota that others use, and may have them preempted. It
  /// needs them for its minimum, or reclaims them for its growth.
  public boolean waitsForVictims(GangId gang) {
    boolean reclaims =
        cluster.holds().get(gang).filter(hold -> hold.kind() == Hold.Kind.RECLAIMING).isPresent();
    return waiting.classOf(gang).filter(WaitClass::needsVictims).isPresent()
        && (lacksMembers(gang) || reclaims);
  }

  /// True if the gang lacks members to its minimum.
  public boolean lacksMembers(GangId gang) {
    return cluster.lacking(cluster.gang(gang)) > 0;
  }

  public boolean isReleased(GangId gang) {
    return standing().contains(gang, Decision.Release.class::isInstance);
  }

  /// Returns this state with another image.
  public State with(Cluster other) {
    return new State(other, waiting, statuses, forecasts, preemptions, searches, broken, repaired);
  }

  /// Returns this state with other waiting gangs.
  public State with(WaitingGangs other) {
    return new State(cluster, other, statuses, forecasts, preemptions, searches, broken, repaired);
  }

  public State with(PublishedStatuses other) {
    return new State(cluster, waiting, other, forecasts, preemptions, searches, broken, repaired);
  }

  public State with(StartForecasts other) {
    return new State(cluster, waiting, statuses, other, preemptions, searches, broken, repaired);
  }

  public State with(Preemptions other) {
    return new State(cluster, waiting, statuses, forecasts, other, searches, broken, repaired);
  }

  public State with(RecentSearches other) {
    return new State(cluster, waiting, statuses, forecasts, preemptions, other, broken, repaired);
  }

  public State broken(SortedTable<GangId, Instant> other) {
    return new State(cluster, waiting, statuses, forecasts, preemptions, searches, other, repaired);
  }

  public State repaired(SortedTable<GangId, Instant> other) {
    return new State(cluster, waiting, statuses, forecasts, preemptions, searches, broken, other);
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

  public State with(VacantCluster other) {
    return with(forecasts.with(other));
  }

  public State with(GangId gang, StartForecast forecast) {
    return with(forecasts.with(gang, forecast));
  }

  /// Returns this state with the gang of the decision waiting in its class. Marks for all gangs of
  /// its class whether capacity would let them start.
  public State waiting(Gang gang, WaitClass asked, Decision decision) {
    boolean outdated =
        waiting.classes().contains(asked.key(), old -> !old.isAnswered(decision.why()));
    State told = outdated ? with(statuses.outdating(asked.key())) : this;
    boolean hopeless = !asked.hasHope();
    Iterable<GangId> mates =
        waiting
            .classes()
            .get(asked.key())
            .filter(old -> hopeless == old.hasHope())
            .<Iterable<GangId>>map(WaitClass::gangs)
            .orElse(List.of());
    for (GangId mate : mates) {
      told = told.with(told.cluster.hopeless(mate, hopeless));
    }
    return told.with(waiting.with(gang, asked, decision));
  }

  /// True if the gang is to be tried at the next tick.
  public boolean isDeferred(GangId gang) {
    return waiting.timed().contains(gang, at -> !at.isAfter(cluster.now()));
  }

  /// Returns this state with the gang to be tried at the next tick.
  public State deferring(GangId gang) {
    return isDeferred(gang) ? this : with(waiting.deferring(gang, cluster.now()));
  }

  /// Returns this state with the gang of the decision resting for 10 s, unless an event concerns
  /// it.
  public State resting(Decision decision) {
    return with(waiting.with(decision, cluster.now().plus(REST)));
  }

  /// Returns this state with the gang of the decision resting until the time.
  public State resting(Decision decision, Instant until) {
    return with(waiting.with(decision, until));
  }

  /// Returns this state without a reason or forecast of the gang.
  public State settled(GangId gang) {
    return with(waiting.without(gang)).with(forecasts.without(gang));
  }

  /// Returns the forecast of the gang; a new one that begins at `since` when none is known. A plan
  /// may outlive the forecast: a gang whose only pod is created again does not wait in between.
  public StartForecast forecast(GangId gang, Instant since) {
    return startForecasts()
        .get(gang)
        .orElseGet(() -> new StartForecast(since, since, Optional.empty()));
  }

  /// Returns this state with the preemption over: the given victims still leave, the others stay.
  public State callingOff(Preemption preemption, SortedTable<GangId, Preemption.Stop> begun) {
    boolean vacating = cluster.holds().contains(preemption.gang(), Hold::isVacated);
    State left = vacating ? with(cluster.withoutHold(preemption.gang())) : this;
    return left.with(left.preemptions.with(preemption.calledOff(begun)));
  }
}
