package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Effect;
import dev.muster.core.state.GangStatus;
import dev.muster.core.state.Intervals;
import dev.muster.core.state.Policies;
import dev.muster.core.state.PublishedStatuses;
import dev.muster.core.state.PublishedStatuses.Published;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Derives effects from the state (level-triggered).
///
/// Each incomplete step of a reservation is requested again after 15 s. So lost requests and lost
/// replies need no bookkeeping.
public final class EffectWriter {
  /// The least time between two publications of a message with only its numbers changed.
  private static final Duration HUSH = Duration.ofSeconds(30);

  /// The number of gangs published at a tick because the answer of their class changed its kind.
  private static final int AT_A_TICK = 50;

  private final CycleResult result;
  private final Policies policies;
  private Cluster cluster;
  private PublishedStatuses statuses;

  private EffectWriter(Cycle cycle) {
    this.result = cycle.result();
    this.policies = cycle.policies();
    this.cluster = cycle.state().cluster();
    this.statuses = cycle.state().statuses();
  }

  /// Adds the effects that are due and notes them in the state.
  static Cycle run(Cycle cycle) {
    EffectWriter writer = new EffectWriter(cycle);
    State state = cycle.state();
    CycleResult result = cycle.result();
    if (cycle.isTick()) {
      result.touch(state.cluster().reservations().keys());
      result.touch(state.statuses().deferred().asList());
      result.touch(writer.outdated(state));
    }
    Set<GangId> planned = planned(result.decisions());
    result.touch(planned);
    for (GangId gang : result.touched()) {
      writer.request(gang);
      writer.clear(gang, cycle.before(), cycle.event());
      if (state.statuses().seen()) {
        writer.publish(gang, state, planned.contains(gang) || hasDiscrepancies(cycle.event()));
      }
    }
    return cycle.with(state.with(writer.cluster).with(writer.statuses));
  }

  /// True if the event is about objects that do not count. Their owner may be watching the status.
  private static boolean hasDiscrepancies(Event event) {
    return event instanceof Event.OfGang said
        && said.facts().stream().anyMatch(Event.DiscrepanciesSeen.class::isInstance);
  }

  private static Set<GangId> planned(List<Decision> decisions) {
    Set<GangId> planned = Set.of();
    for (Decision decision : decisions) {
      if (decision instanceof Decision.Plan) {
        planned = planned.isEmpty() ? new LinkedHashSet<>() : planned;
        planned.add(decision.gang());
      }
    }
    return planned;
  }

  // ---- Reservations: write, then start members ----

  private void request(GangId gang) {
    Optional<Reservation> held = cluster.reservations().get(gang);
    if (held.isPresent() && !held.get().promises().isEmpty()) {
      request(held.get());
    }
  }

  @SuppressWarnings("ReferenceEquality") // an unchanged reservation is identical
  private void request(Reservation reservation) {
    Instant now = cluster.now();
    Reservation told = reservation;
    if (reservation.written() != Written.DONE && !now.isBefore(reservation.writeAt())) {
      result.add(new Effect.WriteReservation(reservation.gang(), reservation));
      told = reservation.as(Written.ASKED, now.plus(Intervals.AGAIN));
    }
    boolean starts = reservation.written() == Written.DONE && startsWhole(reservation);
    for (Promise promise : reservation.promises()) {
      if (starts && !now.isBefore(promise.tryAt())) {
        result.add(new Effect.StartMember(reservation.gang(), promise.member(), promise.node()));
        told = told.with(promise.startRequested(now.plus(Intervals.AGAIN)));
      }
    }
    if (told != reservation) {
      cluster = cluster.noted(told);
    }
  }

  /// True if all members that the gang needs have a place, or if it has begun. No pod is started
  /// before that.
  private boolean startsWhole(Reservation reservation) {
    Gang gang = cluster.gang(reservation.gang());
    return gang.boundCount() > 0 || reservation.ran() || cluster.lacking(gang) <= 0;
  }

  private void clear(GangId gang, State before, Event event) {
    boolean held = before.cluster().reservations().contains(gang);
    Gang now = cluster.gang(gang);
    boolean left = event instanceof Event.Synced && isRecorded(now);
    if ((held || left || isUnrecorded(now, before, event))
        && !cluster.reservations().contains(gang)
        && cluster.gangs().contains(gang)) {
      result.add(new Effect.ClearReservation(gang, now.past().ranWith()));
    }
  }

  /// True if the gang runs with another minimum than its object records. A lone pod, or a gang
  /// whose object was deleted, has none that could record it.
  private static boolean isUnrecorded(Gang gang, State before, Event event) {
    Gang old = before.cluster().gang(gang.id());
    Optional<Integer> known =
        event instanceof Event.Synced || old.spec().isEmpty()
            ? gang.spec().flatMap(GangSpec::past).flatMap(GangPast::ranWith)
            : old.past().ranWith();
    Optional<Integer> runs = gang.past().ranWith();
    boolean hasObject = gang.id().origin() != GangId.Origin.POD && gang.spec().isPresent();
    return hasObject && runs.isPresent() && !runs.equals(known);
  }

  private static boolean isRecorded(Gang gang) {
    SortedTable<MemberId, NodeId> none = SortedTable.empty();
    return !gang.spec().map(GangSpec::recorded).orElse(none).isEmpty();
  }

  // ---- Statuses ----

  /// Returns gangs to publish because the answer of their class changed its kind, at most
  /// [#AT_A_TICK].
  private List<GangId> outdated(State state) {
    List<GangId> outdated = new ArrayList<>();
    for (WaitClass.Key key : state.statuses().stale()) {
      for (GangId gang :
          state.waiting().classes().get(key).map(WaitClass::gangs).orElse(SortedTable.empty())) {
        if (outdated.size() == AT_A_TICK) {
          return outdated;
        }
        if (isOutdated(gang, state)) {
          outdated.add(gang);
        }
      }
      statuses = statuses.withoutStale(key);
    }
    return outdated;
  }

  private static boolean isOutdated(GangId gang, State state) {
    String now = state.why(gang).flatMap(Explanation::main).map(ReasonText::token).orElse("");
    return state.published().contains(gang, published -> !published.status().reason().equals(now));
  }

  /// @param atOnce true if the status is published even if only its message changed
  private void publish(GangId id, State state, boolean atOnce) {
    Gang gang = cluster.gang(id);
    if (!cluster.gangs().contains(id)) {
      statuses = statuses.without(id);
      return;
    }
    GangStatus status = GangStatus.of(gang, cluster, state, policies);
    Optional<Published> last = statuses.published().get(id);
    boolean same = last.isPresent() && last.get().status().equals(status);
    boolean hushed =
        !atOnce
            && last.isPresent()
            && last.get().status().sameButForWords(status)
            && cluster.now().isBefore(last.get().at().plus(HUSH));
    if (!same && !hushed) {
      result.add(new Effect.Publish(id, gang.spec(), status));
      statuses = statuses.with(id, status, cluster.now());
    } else {
      statuses = hushed && !same ? statuses.deferPublish(id) : statuses.publishNow(id);
    }
  }
}
