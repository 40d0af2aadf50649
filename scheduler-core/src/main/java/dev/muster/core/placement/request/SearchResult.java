package dev.muster.core.placement.request;

import dev.muster.core.fit.Veto;
import dev.muster.core.fit.VetoCounts;
import dev.muster.core.node.Placement;

/// The result of a placement search.
public sealed interface SearchResult {
  /// Returns the number of nodes in the cluster.
  int nodes();

  /// Returns the reasons why nodes would not take the biggest kind of member, even when empty.
  ///
  /// The counts are empty if a placement was found, because not all nodes were asked then.
  VetoCounts vetoCounts();

  /// A placement of all requested members.
  record Found(Placement placement, int nodes, VetoCounts vetoCounts) implements SearchResult {}

  /// No placement, with the main reason.
  record NotFound(Veto main, int nodes, VetoCounts vetoCounts) implements SearchResult {}
}
