package dev.muster.core.placement.request;

import dev.muster.core.fit.Veto;
import dev.muster.core.fit.VetoCounts;
import dev.muster.core.node.Placement;

/// What a search comes to.
public sealed interface SearchResult {
  /// How many nodes there are.
  int nodes();

  /// Why some of them would not take the biggest kind of member, however empty they were; nothing
  /// where a place was found, as then not all were asked.
  VetoCounts vetoCounts();

  /// A place for all that was asked.
  record Found(Placement placement, int nodes, VetoCounts vetoCounts) implements SearchResult {}

  /// No place, and the one reason that counts.
  record NotFound(Veto main, int nodes, VetoCounts vetoCounts) implements SearchResult {}
}
