package dev.muster.server.metrics;

import dev.muster.core.cluster.Gang;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The time for which a complete gang has been waiting.
///
/// A preempted gang keeps the age that its first wait gave it, for its rank. Its present wait
/// begins with the preemption.
final class WaitingTime {
  private WaitingTime() {}

  static Duration of(Gang gang, State state) {
    Instant since = gang.eligibleAt();
    List<Instant> preempted = state.preemptions().stopped(gang.id(), state.cluster());
    if (!preempted.isEmpty() && preempted.getLast().isAfter(since)) {
      since = preempted.getLast();
    }
    Duration wait = Duration.between(since, state.cluster().now());
    return wait.isNegative() ? Duration.ZERO : wait;
  }
}
