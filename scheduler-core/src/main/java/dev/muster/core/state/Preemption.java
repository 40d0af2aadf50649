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

/// Gangs that are being stopped for another, from the decision until the last of their members that
/// is evicted is gone.
///
/// ```
/// record who it is → tell each of them → wait for acknowledgements or the deadline → evict one after the other → they are gone
/// ```
///
/// Nobody is evicted before it is recorded for whom, all victims were told, and for each the
/// disruption budgets allow it. Until then it can be called off without a trace.
///
/// @param gang for whom
/// @param stops who is not gone yet
/// @param recorded how far the record on the gang's object has come
/// @param again nothing is asked again before this instant
/// @param evicting whether the victims are being evicted
/// @param over whether it was called off or came true: of the victims only those that have begun to
///   leave are seen off
public record Preemption(
    GangId gang,
    SortedTable<GangId, Stop> stops,
    Written recorded,
    Instant again,
    boolean evicting,
    boolean over) {
  /// A victim.
  ///
  /// @param victim who leaves
  /// @param notice how long it is told before
  /// @param ending how its pods end
  /// @param asked when it was to be told first; absent before
  /// @param deadline when it is evicted at the latest; absent until it is to be told
  /// @param told whether it was told
  /// @param evictedAt when its eviction was asked for first; absent before
  public record Stop(
      Victim victim,
      Duration notice,
      Effect.Ending ending,
      Optional<Instant> asked,
      Optional<Instant> deadline,
      boolean told,
      Optional<Instant> evictedAt) {
    /// As an earlier run of ours told it.
    public static Stop told(Victim victim, Instant asked, Instant deadline) {
      return new Stop(
          victim,
          Duration.ZERO,
          Effect.Ending.PLAIN,
          Optional.of(asked),
          Optional.of(deadline),
          true,
          Optional.empty());
    }

    /// Whether one of the members that were to leave is not bound any more.
    public boolean hasBegun(Cluster cluster) {
      Gang gang = cluster.gang(victim.gang());
      return victim.members().asList().stream()
          .anyMatch(pod -> gang.members().get(pod).filter(Member::isBound).isEmpty());
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

    /// To be told again, though it counts as stopped since it was told first.
    public Stop anew(Victim leaving, Stop earlier) {
      return new Stop(leaving, notice, ending, earlier.asked(), deadline, told, evictedAt);
    }

    /// By the rule that lets it go now, which says how its pods end, too, and until it is told how
    /// long it is told before.
    public Stop by(VictimCandidate candidate) {
      PolicyVerdict.Allowed ruling = candidate.ruling();
      Victim named = new Victim(victim.gang(), victim.members(), ruling.rule(), victim.lostWork());
      return new Stop(
          named,
          deadline.isPresent() ? notice : ruling.notice(),
          new Effect.Ending(ruling.grace(), ruling.overBudgets()),
          asked,
          deadline,
          told,
          evictedAt);
    }

    /// About to be told. Its time begins anew each time: nobody knows whether it heard before.
    public Stop telling(Instant now) {
      Instant first = asked.orElse(now);
      Instant last = now.plus(notice);
      return new Stop(
          victim, notice, ending, Optional.of(first), Optional.of(last), told, evictedAt);
    }

    /// To be told again.
    public Stop untold() {
      return new Stop(victim, notice, ending, asked, Optional.empty(), false, evictedAt);
    }

    public Stop heard() {
      return new Stop(victim, notice, ending, asked, deadline, true, evictedAt);
    }

    public Stop evicting(Instant now) {
      Instant first = evictedAt.orElse(now);
      return new Stop(victim, notice, ending, asked, deadline, told, Optional.of(first));
    }
  }

  public static Preemption of(GangId gang, SortedTable<GangId, Stop> stops, Instant now) {
    return new Preemption(gang, stops, Written.NOT_YET, now, false, false);
  }

  /// The victims that are being evicted.
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

  /// Only these are still seen off.
  public Preemption calledOff(SortedTable<GangId, Stop> begun) {
    return new Preemption(gang, begun, recorded, again, evicting, true);
  }
}
