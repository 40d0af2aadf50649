package dev.muster.core.decision;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Veto;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The reason for a decision, as values. [ReasonText] turns them into sentences.
///
/// @param clusterVersion version of the image for which the reason holds
/// @param at time of that image
/// @param nodes number of nodes considered
/// @param main the decisive reason; absent when the gang was admitted
/// @param tally number of nodes that refused a member, by kind of veto
public record Explanation(
    long clusterVersion,
    Instant at,
    int nodes,
    Optional<Veto> main,
    SortedTable<String, Veto.Count> tally) {
  /// Returns an explanation for a decision that considered no node.
  public static Explanation of(Cluster cluster, Veto main) {
    return new Explanation(
        cluster.version(), cluster.now(), 0, Optional.of(main), SortedTable.empty());
  }

  /// Returns the numbers of refusing nodes, the largest first; equal ones by their token.
  public List<Veto.Count> refusals() {
    return byFrequency(tally);
  }

  static List<Veto.Count> byFrequency(SortedTable<String, Veto.Count> tally) {
    List<Veto.Count> counts = new ArrayList<>(tally.values());
    counts.sort(
        Comparator.comparingInt(Veto.Count::nodes)
            .reversed()
            .thenComparing(count -> ReasonText.token(count.example())));
    return counts;
  }
}
