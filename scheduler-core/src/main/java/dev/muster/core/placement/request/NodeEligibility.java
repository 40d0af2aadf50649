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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The static rules that decide which nodes may take which kinds of members, if they were empty.
///
/// A kind can select nodes by hundreds of conditions. So its answers for single nodes are kept: a
/// search and the diagnosis of its failure examine each node once for each such kind.
public final class NodeEligibility {
  private final List<MemberRequirements> asks;
  private final Optional<String> sliceLabel;
  private final SortedKeys<NodeId> shunned;
  private final PlacedMembers placed;
  private final List<Map<NodeId, Optional<Veto>>> known = new ArrayList<>();

  /// Creates the rules of one search.
  ///
  /// @param asks requirements of each kind
  /// @param sliceLabel node label of the level of slices, if there are slices
  /// @param shunned nodes that must not be used
  /// @param placed members of the gang and their places
  NodeEligibility(
      List<MemberRequirements> asks,
      Optional<String> sliceLabel,
      SortedKeys<NodeId> shunned,
      PlacedMembers placed) {
    this.asks = List.copyOf(asks);
    this.sliceLabel = sliceLabel;
    this.shunned = shunned;
    this.placed = placed;
    asks.forEach(_ -> known.add(new LinkedHashMap<>(0)));
  }

  /// True if the node takes members of the kind.
  public boolean takes(NodeState state, int kind) {
    return veto(state, kind).isEmpty();
  }

  private Optional<Veto> lasting(Node node, int kind) {
    Optional<Veto> veto = LastingRules.veto(asks.get(kind), node);
    return veto.isEmpty() && sliceLabel.isPresent() && !node.liesIn(sliceLabel.get())
        ? Optional.of(new Veto.Unlabelled(sliceLabel.get()))
        : veto;
  }

  /// Returns the answer that holds for all nodes of a kind; empty if each node must be asked.
  public Optional<Verdict> verdictOfAll(NodeKind nodes, int kind) {
    Request request = asks.get(kind).request();
    boolean alike =
        !request.selection().selects()
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

  /// Returns the reason why the node does not take a member of the kind, if there is one.
  public Optional<Veto> veto(NodeState state, int kind) {
    Optional<Veto> lasting =
        asks.get(kind).request().selection().selects()
            ? known.get(kind).computeIfAbsent(state.id(), _ -> lasting(state.node(), kind))
            : lasting(state.node(), kind);
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
