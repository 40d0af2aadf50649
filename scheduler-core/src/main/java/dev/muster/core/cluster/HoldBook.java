package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.collect.SortedTable.Entry;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The holds of a [ClusterBuilder], kept consistent with the shares on its nodes.
final class HoldBook {
  private final NodeInventory nodes;
  private SortedTable<GangId, Hold> holds;

  HoldBook(NodeInventory nodes, SortedTable<GangId, Hold> holds) {
    this.nodes = nodes;
    this.holds = holds;
  }

  SortedTable<GangId, Hold> byGang() {
    return holds;
  }

  /// Makes a hold. It replaces any other one of its gang.
  void put(Hold hold) {
    var before = holds.get(hold.gang()).map(Hold::shares).orElse(SortedTable.empty());
    for (var share : hold.shares().differences(before)) {
      nodes.change(share.key(), node -> node.withShare(hold.gang(), share.now()));
    }
    holds = holds.with(hold.gang(), hold);
  }

  /// Ends the gang's hold, if any.
  void drop(GangId gang) {
    for (NodeId node : claimed(gang)) {
      nodes.change(node, state -> state.withShare(gang, Optional.empty()));
    }
    holds = holds.without(gang);
  }

  /// Lets the gang use its hold, ahead of the shares of the gangs behind it.
  void open(GangId gang, Iterable<GangId> behind) {
    for (NodeId node : claimed(gang)) {
      nodes.change(node, state -> state.openedTo(gang, behind));
    }
    holds = holds.without(gang);
  }

  /// Returns the ledger with what the gang's hold, if any, keeps for lost members.
  ///
  /// A lost pod of the gang and its place count once, whatever the readiness of their node: the pod
  /// while its queue is charged for it, otherwise the place. A place on a node that is gone has no
  /// model.
  UsageLedger booked(Gang gang, UsageLedger ledger, Instant now) {
    Hold hold = holds.get(gang.id()).orElse(null);
    return hold == null ? ledger : ledger.keeping(gang, kept(hold, ledger), now);
  }

  private SortedTable<String, Integer> kept(Hold hold, UsageLedger ledger) {
    SortedTable<String, Integer> kept = SortedTable.empty();
    if (hold.kind() == Hold.Kind.HOLE) {
      for (Entry<NodeId, Hold.Share> share : hold.shares().entries()) {
        String model = nodes.get(share.key()).map(node -> node.node().model().name()).orElse("");
        int gpus = share.value().uncharged(pod -> charged(pod, hold.gang(), ledger));
        kept = QueueUsage.plus(kept, model, gpus);
      }
    }
    return kept;
  }

  private static int charged(MemberId pod, GangId gang, UsageLedger ledger) {
    Optional<UsageLedger.PodUsage> usage = ledger.podUsages().get(pod);
    return usage.filter(it -> it.gang().equals(gang)).map(it -> it.charged()).orElse(0);
  }

  /// Returns the new node with the shares that were made before it was seen.
  NodeState withClaims(NodeState bare) {
    NodeState state = bare;
    for (Hold hold : holds) {
      state = state.withShare(hold.gang(), hold.shares().get(bare.id()));
    }
    return state;
  }

  private List<NodeId> claimed(GangId gang) {
    return holds.get(gang).map(hold -> hold.shares().keys()).orElse(List.of());
  }
}
