package dev.muster.server.tracing;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A phase of a gang that is a span of its trace.
///
/// It differs from the phase of the image where that says how, not why: a running gang that places
/// a replacement still runs, and a victim is stopped from its first eviction on.
enum LifePhase {
  /// Its PodGroup or some of its members are missing.
  GATHERING,
  /// It is complete and waits for nodes.
  WAITING,
  /// It has a reservation, and not all of its members are bound.
  STARTING,
  /// Its members run.
  RUNNING,
  /// Its members are being evicted, or terminate.
  STOPPING,
  /// All members have ended, or the gang does not exist.
  ENDED;

  static LifePhase of(State state, GangId id) {
    Cluster cluster = state.cluster();
    if (cluster.reservations().contains(id, Reservation::releasing)) {
      return STOPPING;
    }
    Gang gang = cluster.gang(id);
    return switch (cluster.phase(id)) {
      case GATHERING -> GATHERING;
      case PENDING -> WAITING;
      case RESERVED -> cluster.isStarting(id) ? STARTING : RUNNING;
      case BOUND -> isStopped(state, gang) ? STOPPING : RUNNING;
      case LEAVING -> gang.end().isPresent() ? ENDED : STOPPING;
      case GONE -> ENDED;
    };
  }

  /// True if all bound members are being evicted for another gang. An elastic gang that gives some
  /// back runs on.
  private static boolean isStopped(State state, Gang gang) {
    Optional<Preemption.Stop> stop = state.preemptions().stopOf(gang.id());
    return stop.isPresent()
        && stop.get().evictedAt().isPresent()
        && stop.get().victim().members().size() >= gang.boundCount();
  }

  /// Returns when a gang that is seen for the first time in this phase has entered it.
  Instant since(State state, Gang gang) {
    Instant now = state.cluster().now();
    return switch (this) {
      case GATHERING, ENDED -> Instant.MIN;
      case WAITING -> {
        List<Instant> stopped = state.preemptions().stopped(gang.id(), state.cluster());
        Instant eligible = gang.eligibleAt();
        yield stopped.isEmpty() || stopped.getLast().isBefore(eligible)
            ? eligible
            : stopped.getLast();
      }
      case STARTING ->
          state.cluster().reservations().get(gang.id()).map(Reservation::since).orElse(now);
      case RUNNING -> {
        Instant last = Instant.MIN;
        for (Member member : gang.members()) {
          if (member.state() instanceof MemberState.Bound(_, Instant at) && at.isAfter(last)) {
            last = at;
          }
        }
        yield last;
      }
      case STOPPING -> now;
    };
  }

  /// Returns the name of its spans.
  String spanName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
