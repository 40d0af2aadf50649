package dev.muster.core.fit;

import dev.muster.core.collect.SortedTable;
import java.util.Optional;

/// How many nodes refused for which reason, by kind of veto: a bounded histogram, never a log of
/// every node.
///
/// @param counts the count and one example for each kind
public record Tally(SortedTable<String, Veto.Count> counts) {
  public static final Tally NONE = new Tally(SortedTable.empty());

  /// This tally with so many more nodes.
  public Tally plus(Veto veto, int nodes) {
    String kind = veto.getClass().getSimpleName();
    Veto.Count before = counts.get(kind).orElse(new Veto.Count(0, veto));
    return new Tally(counts.with(kind, new Veto.Count(before.nodes() + nodes, before.example())));
  }

  /// An example of a kind of veto, if any node refused that way.
  public <V extends Veto> Optional<V> example(Class<V> kind) {
    return counts.get(kind.getSimpleName()).map(Veto.Count::example).map(kind::cast);
  }
}
