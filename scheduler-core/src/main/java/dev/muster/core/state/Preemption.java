package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation.Written;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Victim;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.VictimCandidate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A preemption evicts gangs for another gang. It lasts from the decision until the last evicted
/// member is gone.
///
/// ```
/// record the victims → notify each → wait for acknowledgements or deadlines → evict one by one
/// ```
///
/// No pod is evicted before the victims are recorded, all victims are notified, and the disruption
/// budgets allow each eviction. Until then the preemption can be cancelled without a trace.
///
/// @param gang the preemptor
/// @param stops the victims that are not gone yet
/// @param recorded progress of the record on the gang's object
/// @param again no effect is requested again before this instant
/// @param evicting true once the victims are being evicted
/// @param over true once it was cancelled or the preemptor has started; then only victims that have
///   begun to leave still leave
public record Preemption(
    GangId gang,
    SortedTable<GangId, Stop> stops,
    Written recorded,
    Instant again,
    boolean evicting,
    boolean over) {
  /// A stop is the state of one victim.
  ///
  /// @param victim the gang, its members that leave, the rule and the lost work
  /// @param notice time between the notification and the eviction
  /// @param ending how its pods end
  /// @param asked time of the first notification; absent before
  /// @param deadline latest time of the eviction; absent until it is to be notified
  /// @param notified true once it is notified
  /// @param evictedAt time of the first request to evict; absent before
  public record Stop(
      Victim victim,
      Duration notice,
      Effect.Ending ending,
      Optional<Instant> asked,
      Optional<Instant> deadline,
      boolean notified,
      Optional<Instant> evictedAt) {
    /// Returns the stop of a victim that an earlier process has notified.
    public static Stop notified(Victim victim, Instant asked, Instant deadline) {
      return new Stop(
          victim,
          Duration.ZERO,
          Effect.Ending.PLAIN,
          Optional.of(asked),
          Optional.of(deadline),
          true,
          Optional.empty());
    }

    /// True if one of the members that were to leave is no longer bound.
    public boolean hasBegun(Cluster cluster) {
      Gang gang = cluster.gang(victim.gang());
      return victim.members().asList().stream()
          .anyMatch(pod -> !gang.members().contains(pod, Member::isBound));
    }

    public static Stop of(VictimCandidate candidate) {
      PolicyVerdict.Allowed ruling = candidate.ruling();
      return new Stop(
          candidate.victim(),
          ruling.notice(),
          new Effect.Ending(ruling.grace(), ruling.overBudgets()),
          Optional.empty(),
          Optional.empty(),
          false,
          Optional.empty());
    }

    /// Returns this stop with the notification still due, counted as preempted since the first
    /// notification of the earlier stop.
    public Stop restarted(Victim leaving, Stop earlier) {
      return new Stop(leaving, notice, ending, earlier.asked(), deadline, notified, evictedAt);
    }

    /// Returns this stop under the rule that permits it now. The rule also states how the pods end
    /// and, until the victim is notified, the notice time.
    public Stop by(VictimCandidate candidate) {
      PolicyVerdict.Allowed ruling = candidate.ruling();
      Victim named = new Victim(victim.gang(), victim.members(), ruling.rule(), victim.lostWork());
      return new Stop(
          named,
          deadline.isPresent() ? notice : ruling.notice(),
          new Effect.Ending(ruling.grace(), ruling.overBudgets()),
          asked,
          deadline,
          notified,
          evictedAt);
    }

    /// Returns this stop with a notification requested now. The notice time begins again each time,
    /// because it is not known whether an earlier notification arrived.
    public Stop notifying(Instant now) {
      Instant first = asked.orElse(now);
      Instant last = now.plus(notice);
      return new Stop(
          victim, notice, ending, Optional.of(first), Optional.of(last), notified, evictedAt);
    }

    /// Returns this stop with its notification due again.
    public Stop unnotified() {
      return new Stop(victim, notice, ending, asked, Optional.empty(), false, evictedAt);
    }

    public Stop acknowledged() {
      return new Stop(victim, notice, ending, asked, deadline, true, evictedAt);
    }

    public Stop evicting(Instant now) {
      Instant first = evictedAt.orElse(now);
      return new Stop(victim, notice, ending, asked, deadline, notified, Optional.of(first));
    }
  }

  public static Preemption of(GangId gang, SortedTable<GangId, Stop> stops, Instant now) {
    return new Preemption(gang, stops, Written.NOT_YET, now, false, false);
  }

  /// Returns the victims that are being evicted.
  public SortedTable<GangId, Stop> begun() {
    SortedTable<GangId, Stop> begun = stops;
    for (Stop stop : stops) {
      begun = stop.evictedAt().isEmpty() ? begun.without(stop.victim().gang()) : begun;
    }
    return begun;
  }

  public Preemption as(Written stage, Instant next) {
    return new Preemption(gang, stops, stage, next, evicting, over);
  }

  public Preemption with(SortedTable<GangId, Stop> others) {
    return new Preemption(gang, others, recorded, again, evicting, over);
  }

  public Preemption evictingAgain(Instant next) {
    return new Preemption(gang, stops, recorded, next, true, over);
  }

  /// Returns this preemption as over, with only these victims still leaving.
  public Preemption calledOff(SortedTable<GangId, Stop> begun) {
    return new Preemption(gang, begun, recorded, again, evicting, true);
  }
}
