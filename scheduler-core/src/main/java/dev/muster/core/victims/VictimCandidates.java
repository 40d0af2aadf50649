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

/// Who may leave, asked of the policy once for each gang and only for gangs that are in the way.
final class VictimCandidates {
  /// Of so many nodes it is found out who may leave them.
  static final int NODES = 4_096;

  private final Preemptor preemptor;
  private final UnitDemand demand;

  /// For each pod of a gang that was asked about.
  private final Map<MemberId, List<VictimCandidate>> heard = new LinkedHashMap<>();

  private final Map<NodeId, Optional<NodeVictims>> seen = new LinkedHashMap<>();
  private int nodesLeft = NODES;

  VictimCandidates(Preemptor preemptor, UnitDemand demand) {
    this.preemptor = preemptor;
    this.demand = demand;
  }

  /// The node with those who may leave it; empty when it takes no member, or would take none though
  /// they left, or is one too many.
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

  /// The candidates with which the pod might leave.
  List<VictimCandidate> of(MemberId pod) {
    List<VictimCandidate> known = heard.get(pod);
    return known != null ? known : asked(pod);
  }

  /// To find out whose a pod is costs more than all else: it is done once for each gang.
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
