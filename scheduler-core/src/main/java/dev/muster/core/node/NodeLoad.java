package dev.muster.core.node;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState.NodeShare;
import java.util.Optional;

/// The resources that several pods use on one node.
///
/// @param shares share of each pod
/// @param sum resources of all pods
/// @param gpus whole GPUs of all pods
public record NodeLoad(SortedTable<MemberId, NodeShare> shares, Resources sum, int gpus) {
  static final NodeLoad NONE = new NodeLoad(SortedTable.empty(), Resources.NONE, 0);

  NodeLoad with(MemberId pod, NodeShare share) {
    NodeShare before = shares.get(pod).orElse(NodeShare.NONE);
    return new NodeLoad(
        shares.with(pod, share),
        sum.minus(before.resources()).plus(share.resources()),
        gpus - before.gpus() + share.gpus());
  }

  NodeLoad without(MemberId pod) {
    Optional<NodeShare> before = shares.get(pod);
    return before.isEmpty()
        ? this
        : new NodeLoad(
            shares.without(pod), sum.minus(before.get().resources()), gpus - before.get().gpus());
  }
}
