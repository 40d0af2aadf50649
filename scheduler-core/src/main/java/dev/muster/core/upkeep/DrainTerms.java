package dev.muster.core.upkeep;

import dev.muster.core.backfill.PlannedStart;
import dev.muster.core.node.Hold;
import dev.muster.core.state.StartForecast;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Drain terms decide from when a place may drain for a gang, and which gangs may pass it.
///
/// *Goals:* a drain costs others no more than the gang has paid by waiting, yet each gang gets its
/// place. To rent until the rent has reached the price never costs more than twice the best choice
/// (ski rental: Karlin et al. 1988).
///
/// *Algorithm:* a place is expected to be empty after as long as its oldest gang has run, or sooner
/// where ends are known. Its drain may begin when this is at most half the wait of the gang, plus
/// `drainAfter`.
///
/// - If a gang there has run for longer, its end is not likely to be near. A drain would keep the
///   rest of its node idle for all that time.
/// - A run grows twice as fast as half the wait. So a place usually becomes eligible when its old
///   gangs end, and not by time.
/// - Where no run is longer than `r`, all places are eligible after a wait of `2r`.
///
/// *Example:* a gang has waited for 4 h. Node n1 has one gang that has run for 50 h. Node n2 has
/// ten gangs, and the oldest has run for 2 h. Of these, only n2 may drain.
///
/// @param state the state in which the gang waits
/// @param drainAfter wait before which no place drains
record DrainTerms(State state, Duration drainAfter) {
  /// True if the place may begin to drain.
  boolean mayBegin(Hold place) {
    Duration waited = Duration.between(forecast(place).since(), now());
    Duration most = drainAfter.plus(waited.dividedBy(2));
    return PlannedStart.drainTime(state.cluster(), state.history(), place).compareTo(most) <= 0;
  }

  /// Returns the time before which other gangs must end if they use the drained nodes.
  ///
  /// By then the longest runs there have probably ended. A limit keeps one gang from following
  /// another without end: where all runs are short, the nodes are soon fully kept.
  Optional<Instant> open(Hold place) {
    Instant closed = forecast(place).drained(drainAfter).plus(StartForecast.open(state.history()));
    Instant empty =
        PlannedStart.empty(state.cluster(), state.history(), place, StartForecast.reckoned(now()));
    return Optional.of(empty.isBefore(closed) ? empty : closed).filter(now()::isBefore);
  }

  private StartForecast forecast(Hold place) {
    return state.forecast(place.gang(), place.since());
  }

  private Instant now() {
    return state.cluster().now();
  }
}
