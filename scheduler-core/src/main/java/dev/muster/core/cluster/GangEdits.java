package dev.muster.core.cluster;

import dev.muster.core.budget.QueueNamespaces;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The gangs of a [ClusterBuilder].
///
/// The gang that was changed last is kept outside the table, since most builders change one gang,
/// some of them repeatedly.
final class GangEdits {
  private final QueueNamespaces namespaces;
  private SortedTable<GangId, Gang> laidDown;
  private @Nullable Gang hand;

  GangEdits(SortedTable<GangId, Gang> gangs, QueueNamespaces namespaces) {
    this.namespaces = namespaces;
    laidDown = gangs;
  }

  /// Returns the gang; a gang without spec and members if it was never seen.
  ///
  /// Pods that are apart from a gang stay on its account.
  Gang get(GangId id) {
    if (hand != null && hand.id().equals(id)) {
      return hand;
    }
    Optional<Gang> seen = laidDown.get(id);
    if (seen.isPresent()) {
      return seen.get();
    }
    Gang unseen = Gang.unseen(id, namespaces);
    return id.isApart() ? unseen.stayingIn(get(id.whole()).queue()) : unseen;
  }

  /// Replaces the gang. A gang of which nothing is left is removed.
  void put(Gang gang) {
    if (hand != null && !hand.id().equals(gang.id())) {
      laidDown = all();
    }
    hand = gang.isNothing() ? Gang.unseen(gang.id(), namespaces) : gang;
  }

  /// Returns all gangs in their current state.
  SortedTable<GangId, Gang> all() {
    if (hand == null) {
      return laidDown;
    }
    return hand.isNothing() ? laidDown.without(hand.id()) : laidDown.with(hand.id(), hand);
  }
}
