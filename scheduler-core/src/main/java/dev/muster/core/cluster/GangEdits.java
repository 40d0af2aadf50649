package dev.muster.core.cluster;

import dev.muster.core.budget.QueueNamespaces;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import org.jspecify.annotations.Nullable;

/// The gangs of a [ClusterBuilder].
///
/// The gang that was changed last is kept outside the table, since most builders change one gang,
/// some of them repeatedly.
final class GangEdits {
  /// Separates the queue in the name of a group beside a gang. It is [apart][GangId#apart].
  private static final String BESIDE = "@queue:";

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
    Gang gang =
        hand != null && hand.id().equals(id)
            ? hand
            : laidDown.get(id).orElseGet(() -> Gang.unseen(id, namespaces));
    return id.isApart() && !gang.account().stays() ? gang.stayingIn(get(id.whole()).queue()) : gang;
  }

  /// Returns the gang of a pod that comes to this one with GPUs of a queue, in which they stay.
  ///
  /// It is this gang, if that holds nothing or is in the same queue. Otherwise it is a group apart
  /// from it, since all GPUs of a gang are in one queue.
  ///
  /// @param holds whether this gang holds GPUs
  GangId destination(GangId gang, String queue, boolean holds) {
    return holds && !get(gang).queue().equals(queue) ? beside(gang, queue) : gang;
  }

  /// True if it is a group of pods that came to the gang and stay in another queue.
  static boolean isBeside(GangId gang, GangId group) {
    return group.namespace().equals(gang.namespace())
        && group.origin() == gang.origin()
        && group.name().startsWith(beside(gang, "").name());
  }

  /// True if the account of the gang is that of the GPUs with which pods came to it. Pods on nodes
  /// that are not ready are not charged for a while, and come back to this account.
  static boolean isOfAccount(Gang gang) {
    return gang.id().name().contains(BESIDE) && !gang.members().isEmpty();
  }

  private static GangId beside(GangId gang, String queue) {
    return new GangId(gang.namespace(), gang.origin(), gang.name() + BESIDE + queue);
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
