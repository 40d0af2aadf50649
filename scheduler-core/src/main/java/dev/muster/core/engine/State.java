package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.topology.Topology;
import java.time.Instant;

/// What the engine carries from turn to turn: the facts, and what it last said of each gang.
///
/// @param cluster all that is true now
/// @param standing the last decision on each gang that waits
/// @param published what was last shown of each gang
public record State(
    Cluster cluster,
    SortedTable<GangId, Decision> standing,
    SortedTable<GangId, Published> published) {
  /// A status, and when it was shown.
  public record Published(GangStatus status, Instant at) {}

  /// Before anything was seen.
  public static State empty(Topology topology) {
    return new State(Cluster.empty(topology), SortedTable.empty(), SortedTable.empty());
  }

  /// Before anything was seen, in a run with these policies.
  public static State empty(Topology topology, Policies policies) {
    Cluster cluster = Cluster.empty(topology, policies.queues().halfLife());
    return new State(cluster, SortedTable.empty(), SortedTable.empty());
  }

  State with(Cluster other) {
    return new State(other, standing, published);
  }

  State with(Decision decision) {
    return new State(cluster, standing.with(decision.gang(), decision), published);
  }

  State settled(GangId gang) {
    return new State(cluster, standing.without(gang), published);
  }

  State with(SortedTable<GangId, Published> shown) {
    return new State(cluster, standing, shown);
  }
}
