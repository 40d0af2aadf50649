package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The gangs of a [ClusterBuilder]. The one that was changed last is in hand, not yet in the table: most
/// drafts change one, some of them time after time.
final class GangEdits {
  private SortedTable<GangId, Gang> laidDown;
  private @Nullable Gang hand;

  GangEdits(SortedTable<GangId, Gang> gangs) {
    laidDown = gangs;
  }

  /// The gang; one without spec and members when nothing of it was seen.
  Gang get(GangId id) {
    if (hand != null && hand.id().equals(id)) {
      return hand;
    }
    Optional<Gang> seen = laidDown.get(id);
    return seen.isPresent() ? seen.get() : Gang.unseen(id);
  }

  /// The gang stands like this; one of which nothing is left is forgotten.
  void put(Gang gang) {
    if (hand != null && !hand.id().equals(gang.id())) {
      laidDown = all();
    }
    hand = isNothing(gang) ? Gang.unseen(gang.id()) : gang;
  }

  /// All of them, as they now stand.
  SortedTable<GangId, Gang> all() {
    if (hand == null) {
      return laidDown;
    }
    return isNothing(hand) ? laidDown.without(hand.id()) : laidDown.with(hand.id(), hand);
  }

  private static boolean isNothing(Gang gang) {
    return gang.spec().isEmpty() && gang.members().isEmpty();
  }
}
