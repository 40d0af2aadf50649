package dev.muster.core.decision;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Veto;
import java.time.Instant;
import java.util.Optional;

/// Why a decision was taken, as values; [ReasonText] makes sentences of them.
///
/// @param clusterVersion the image it was true for
/// @param at when that was
/// @param nodes how many nodes were considered
/// @param main the one reason that counts, absent when the gang was admitted
/// @param tally how many nodes refused a member for which reason, by kind of veto
public record Explanation(
    long clusterVersion,
    Instant at,
    int nodes,
    Optional<Veto> main,
    SortedTable<String, Veto.Count> tally) {
  /// An explanation that no node had part in.
  public static Explanation of(Cluster cluster, Veto main) {
    return new Explanation(
        cluster.version(), cluster.now(), 0, Optional.of(main), SortedTable.empty());
  }
}
