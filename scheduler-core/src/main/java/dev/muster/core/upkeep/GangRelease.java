package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.CycleResult;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.Effect;
import dev.muster.core.state.GangStatus;
import dev.muster.core.state.Intervals;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// A gang release takes all reserved capacity from a gang that did not start completely in time.
///
/// The decision and its consequences are here. The gang loses its promises at once. If members of
/// it run, its reservation stays without promises until they are gone. At the end of the upkeep
/// stages:
///
/// - those members are evicted;
/// - the gang rests before it is tried again;
/// - no victims are searched for it for a while, as it may otherwise evict gangs that started in
///   its place.
public final class GangRelease {
  private GangRelease() {}

  /// Returns the image after the release, and adds the decision to the result.
  ///
  /// @param reservation the reservation of the gang, or one that it would have
  static Cluster release(Cluster cluster, Gang gang, Reservation reservation, CycleResult result) {
    Duration time = Duration.between(reservation.since(), cluster.now());
    Veto late =
        new Veto.NotBoundInTime(
            time,
            gang.boundCount(),
            gang.minCount(),
            GangStatus.refusal(gang, reservation, cluster.nodes().size()));
    return release(cluster, gang, reservation, late, result);
  }

  /// Returns the image after the release for this reason, and adds the decision to the result.
  /// Nodes are avoided only where the start failed.
  static Cluster release(
      Cluster cluster, Gang gang, Reservation reservation, Veto why, CycleResult result) {
    List<MemberId> bound = gang.bound().stream().map(Member::id).toList();
    result.touch(gang.id());
    result.add(new Decision.Release(gang.id(), bound, Explanation.of(cluster, why)));
    Cluster avoiding =
        why instanceof Veto.NotBoundInTime
            ? AvoidanceUpkeep.notBound(cluster, reservation, result)
            : cluster;
    Cluster ended = avoiding.without(gang.id());
    return bound.isEmpty()
        ? ended
        : ended.with(reservation.releasedUntil(cluster.now().plus(Intervals.EVICT_AGAIN)));
  }

  /// Applies the consequences of all releases so far.
  public static Cycle run(Cycle cycle) {
    State state = cycle.state();
    for (Decision decision : cycle.result().decisions()) {
      if (decision instanceof Decision.Release release) {
        state = rested(state, release, cycle.policies());
        evict(release, cycle.result());
      }
    }
    return cycle.with(state);
  }

  private static State rested(State state, Decision.Release release, Policies policies) {
    State resting =
        switch (release.why().main().orElseThrow()) {
          case Veto.RecordRefused(_, Instant again) -> state.resting(release, again);
          case Veto.StartRefused(_, Instant again) -> state.resting(release, again);
          default -> state.resting(release);
        };
    if (policies.preemption().mode() == Mode.OFF) {
      return resting;
    }
    Instant later = state.cluster().now().plus(Intervals.BARRED);
    return resting.with(resting.preemptions().lookingAgain(release.gang(), later));
  }

  private static void evict(Decision.Release release, CycleResult result) {
    Veto why = release.why().main().orElseThrow();
    for (MemberId member : release.evicted()) {
      result.add(
          new Effect.Evict(
              release.gang(),
              member,
              ReasonText.token(why),
              ReasonText.sentence(why),
              Effect.Ending.PLAIN));
    }
  }
}
