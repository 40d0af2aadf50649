package dev.muster.core.fit;

import dev.muster.core.collect.SortedTable;
import java.util.Optional;

/// The number of nodes that refused, by kind of veto. Its size is bounded by the number of kinds,
/// not by the number of nodes.
///
/// @param counts the number and one example for each kind
public record VetoCounts(SortedTable<String, Veto.Count> counts) {
  /// Characters of a condition: more than a message has.
  static final int LONGEST = 2_048;

  public static final VetoCounts NONE = new VetoCounts(SortedTable.empty());

  /// Returns this tally with this number of further nodes that refused.
  public VetoCounts plus(Veto veto, int nodes) {
    String kind =
        (veto instanceof Veto.Unselected ? Veto.NotSelected.class : veto.getClass())
            .getSimpleName();
    Veto.Count before = counts.get(kind).orElseGet(() -> new Veto.Count(0, kept(veto)));
    return new VetoCounts(
        counts.with(kind, new Veto.Count(before.nodes() + nodes, before.example())));
  }

  // Answers are kept for thousands of gangs that are gone, and a selection can have 64 Ki
  // characters.
  private static Veto kept(Veto veto) {
    if (veto instanceof Veto.Unselected unselected) {
      String text = unselected.requirement();
      return new Veto.NotSelected(text.substring(0, Math.min(text.length(), LONGEST)));
    }
    return veto;
  }

  /// Returns an example of a kind of veto, if any node refused that way.
  public <V extends Veto> Optional<V> example(Class<V> kind) {
    return counts.get(kind.getSimpleName()).map(Veto.Count::example).map(kind::cast);
  }
}
