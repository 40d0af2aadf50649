package dev.muster.core.engine;

import dev.muster.core.admission.Runs;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.gang.GangId;
import dev.muster.core.topology.Topology;
import java.time.Instant;
import java.util.Optional;

/// What the engine carries from turn to turn: the facts, and what it last said of each gang.
///
/// @param cluster all that is true now
/// @param standing the last decision on each gang that waits
/// @param waiting who waits for what
/// @param published what was last shown of each gang
/// @param runs how long gangs ran
/// @param outlooks since when each of the first gangs waits to be planned a start
public record State(
    Cluster cluster,
    SortedTable<GangId, Decision> standing,
    Waiting waiting,
    SortedTable<GangId, Published> published,
    Runs runs,
    SortedTable<GangId, Outlook> outlooks) {
  /// A status, and when it was shown.
  public record Published(GangStatus status, Instant at) {}

  /// That a gang is among the first and could not be planned a start.
  ///
  /// @param since when it was first among them
  /// @param again not to be looked for again before this instant
  public record Outlook(Instant since, Instant again) {}

  /// Before anything was seen.
  public static State empty(Topology topology) {
    return of(Cluster.empty(topology));
  }

  /// An image of which nothing was said yet.
  public static State of(Cluster cluster) {
    return new State(
        cluster,
        SortedTable.empty(),
        Waiting.NONE,
        SortedTable.empty(),
        Runs.NONE,
        SortedTable.empty());
  }

  /// Why the gang waits, as of now; empty when it does not.
  public Optional<Explanation> why(GangId gang) {
    return waiting
        .classOf(gang)
        .map(WaitClass::why)
        .or(() -> standing.get(gang).map(Decision::why));
  }

  boolean isReleased(GangId gang) {
    return standing.get(gang).filter(Decision.Release.class::isInstance).isPresent();
  }

  /// The same state with another image.
  public State with(Cluster other) {
    return new State(other, standing, waiting, published, runs, outlooks);
  }

  /// The same state with a decision standing.
  public State with(Decision decision) {
    var decided = standing.with(decision.gang(), decision);
    return new State(cluster, decided, waiting, published, runs, outlooks);
  }

  /// With the gang, of which this was decided, waiting in its class.
  State waiting(Gang gang, WaitClass asked, Decision decision) {
    State decided = with(decision);
    return decided.with(waiting.with(gang, asked.key(), asked.kinds(), decision.why()));
  }

  /// With the gang, of which this was decided, to be tried again at the instant.
  State resting(Decision decision, Instant until) {
    return with(decision).with(waiting.with(decision.gang(), until));
  }

  /// With nothing more to say of the gang.
  State settled(GangId gang) {
    return new State(
        cluster,
        standing.without(gang),
        waiting.without(gang),
        published,
        runs,
        outlooks.without(gang));
  }

  State with(Waiting other) {
    return new State(cluster, standing, other, published, runs, outlooks);
  }

  State with(Runs other) {
    return new State(cluster, standing, waiting, published, other, outlooks);
  }

  State with(GangId gang, Outlook outlook) {
    return new State(cluster, standing, waiting, published, runs, outlooks.with(gang, outlook));
  }

  State shown(SortedTable<GangId, Published> shown) {
    return new State(cluster, standing, waiting, shown, runs, outlooks);
  }
}
