package dev.muster.core.node;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState.Occupant;
import java.util.Optional;

/// What several pods take of a node.
///
/// @param shares what each of them takes
/// @param sum the resources of all of them
/// @param gpus the whole GPUs of all of them
public record NodeLoad(SortedTable<MemberId, Occupant> shares, Resources sum, int gpus) {
  static final NodeLoad NONE = new NodeLoad(SortedTable.empty(), Resources.NONE, 0);

  NodeLoad with(MemberId pod, Occupant share) {
    Occupant before = shares.get(pod).orElse(Occupant.NONE);
    return new NodeLoad(
        shares.with(pod, share),
        sum.minus(before.resources()).plus(share.resources()),
        gpus - before.gpus() + share.gpus());
  }

  NodeLoad without(MemberId pod) {
    Optional<Occupant> before = shares.get(pod);
    return before.isEmpty()
        ? this
        : new NodeLoad(
            shares.without(pod), sum.minus(before.get().resources()), gpus - before.get().gpus());
  }
}
