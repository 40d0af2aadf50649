package dev.muster.core.fit;

import dev.muster.core.collect.SortedTable;
import java.util.Optional;

/// The number of nodes that refused, by kind of veto. Its size is bounded by the number of kinds,
/// not by the number of nodes.
///
/// @param counts the number and one example for each kind
public record VetoCounts(SortedTable<String, Veto.Count> counts) {
  public static final VetoCounts NONE = new VetoCounts(SortedTable.empty());

  /// Returns this tally with this number of further nodes that refused.
  public VetoCounts plus(Veto veto, int nodes) {
    String kind = veto.getClass().getSimpleName();
    Veto.Count before = counts.get(kind).orElse(new Veto.Count(0, veto));
    return new VetoCounts(
        counts.with(kind, new Veto.Count(before.nodes() + nodes, before.example())));
  }

  /// Returns an example of a kind of veto, if any node refused that way.
  public <V extends Veto> Optional<V> example(Class<V> kind) {
    return counts.get(kind.getSimpleName()).map(Veto.Count::example).map(kind::cast);
  }
}
