package dev.muster.core.placement.request;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.fit.Verdict;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeKind;
import dev.muster.core.node.NodeState;
import java.util.List;
import java.util.Optional;

/// Which nodes would take which kinds of members, were they empty.
///
/// @param asks what is asked for each kind
/// @param sliceLabel the node label of the level in which slices lie, if there are any
/// @param shunned nodes that are not to be used
/// @param mates the gang
public record NodeEligibility(
    List<MemberRequirements> asks, Optional<String> sliceLabel, SortedKeys<NodeId> shunned, PlacedMembers placed) {
  public boolean takes(NodeState state, int kind) {
    return veto(state, kind).isEmpty();
  }

  private Optional<Veto> lasting(Node node, int kind) {
    Optional<Veto> veto = LastingRules.veto(asks.get(kind), node);
    return veto.isEmpty() && sliceLabel.isPresent() && !node.liesIn(sliceLabel.get())
        ? Optional.of(new Veto.Unlabelled(sliceLabel.get()))
        : veto;
  }

  /// What all nodes of a kind say to a member of a kind; empty where each has to be asked.
  public Optional<Verdict> verdictOfAll(NodeKind nodes, int kind) {
    Request request = asks.get(kind).request();
    boolean alike =
        request.selection().all().isEmpty()
            && request.selection().anyOf().isEmpty()
            && shunned.isEmpty()
            && !(request.onePerNode() && placed.haveLonely());
    if (!alike) {
      return Optional.empty();
    }
    Optional<Veto> veto = lasting(nodes.example(), kind);
    boolean sure =
        veto.isEmpty()
            ? nodes.allHave(request.resources())
            : !(veto.get() instanceof Veto.NodeTooSmall) || nodes.noneHas(request.resources());
    return sure ? Optional.of(veto.map(Verdict::no).orElse(Verdict.FITS)) : Optional.empty();
  }

  /// Why the node would not take a member of the kind.
  public Optional<Veto> veto(NodeState state, int kind) {
    Optional<Veto> lasting = lasting(state.node(), kind);
    if (lasting.isPresent()) {
      return lasting;
    }
    if (shunned.contains(state.id())) {
      return Optional.of(new Veto.RefusedBefore());
    }
    return asks.get(kind).request().onePerNode() && placed.hasLonely(state.id())
        ? Optional.of(new Veto.MateOnNode())
        : Optional.empty();
  }
}
