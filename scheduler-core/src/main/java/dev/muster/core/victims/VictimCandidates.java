package dev.muster.core.victims;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Cache of the candidates on each node. The policy is asked once for each gang, and only for gangs
/// on nodes that are examined.
final class VictimCandidates {
  /// Limit on the nodes whose pods are examined.
  static final int NODES = 4_096;

  private final Preemptor preemptor;
  private final UnitDemand demand;

  /// The candidates of the gang of each pod asked about so far.
  private final Map<MemberId, List<VictimCandidate>> heard = new LinkedHashMap<>();

  private final Map<NodeId, Optional<NodeVictims>> seen = new LinkedHashMap<>();
  private int nodesLeft = NODES;

  VictimCandidates(Preemptor preemptor, UnitDemand demand) {
    this.preemptor = preemptor;
    this.demand = demand;
  }

  /// Returns the node with its possible victims.
  ///
  /// It is empty in these cases:
  ///
  /// - The node would take no member even when empty.
  /// - The node would take no member after all candidates have left.
  /// - [#NODES] nodes were examined already.
  Optional<NodeVictims> on(NodeState node) {
    return seen.computeIfAbsent(node.id(), _ -> looked(node));
  }

  private Optional<NodeVictims> looked(NodeState node) {
    if (nodesLeft == 0 || !demand.takes(node)) {
      return Optional.empty();
    }
    nodesLeft--;
    return Optional.of(NodeVictims.of(node, demand, this))
        .filter(look -> look.most > 0 || (!demand.areAlike() && !look.tenants.isEmpty()));
  }

  /// Returns the candidates of the pod's gang.
  List<VictimCandidate> of(MemberId pod) {
    List<VictimCandidate> known = heard.get(pod);
    return known != null ? known : asked(pod);
  }

  /// Looks up the gang of the pod, the most expensive step, and does so once for each gang.
  private List<VictimCandidate> asked(MemberId pod) {
    Optional<GangId> gang = preemptor.image().ledger().gangOf(pod);
    List<VictimCandidate> candidates = gang.map(preemptor::candidates).orElse(List.of());
    heard.put(pod, candidates);
    gang.ifPresent(id -> {
      for (Member member : preemptor.image().gang(id).members()) {
        heard.put(member.id(), candidates);
      }
    });
    return candidates;
  }
}
