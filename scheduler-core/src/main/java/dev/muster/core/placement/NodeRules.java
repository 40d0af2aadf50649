package dev.muster.core.placement;

import dev.muster.core.cluster.NodeState;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Ask;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.NodeId;
import java.util.List;
import java.util.Optional;

/// Which nodes would take which kinds of members, were they empty.
///
/// @param asks what is asked for each kind
/// @param sliceLabel the node label of the level in which slices lie, if there are any
/// @param shunned nodes that are not to be used
/// @param mates the gang
record NodeRules(
    List<Ask> asks, Optional<String> sliceLabel, SortedTable<NodeId, NodeId> shunned, Mates mates) {
  boolean takes(NodeState state, int kind) {
    return veto(state, kind).isEmpty();
  }

  /// Why the node would not take a member of the kind.
  Optional<Veto> veto(NodeState state, int kind) {
    Ask ask = asks.get(kind);
    Optional<Veto> lasting = LastingRules.veto(ask, state.node());
    if (lasting.isPresent()) {
      return lasting;
    }
    if (sliceLabel.isPresent() && !state.node().labels().containsKey(sliceLabel.get())) {
      return Optional.of(new Veto.Unlabelled(sliceLabel.get()));
    }
    if (shunned.contains(state.id())) {
      return Optional.of(new Veto.RefusedBefore());
    }
    return ask.request().onePerNode() && mates.hasLonely(state.id())
        ? Optional.of(new Veto.MateOnNode())
        : Optional.empty();
  }
}
