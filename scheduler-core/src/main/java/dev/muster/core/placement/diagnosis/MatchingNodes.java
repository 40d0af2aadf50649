package dev.muster.core.placement.diagnosis;

import dev.muster.core.fit.Verdict;
import dev.muster.core.fit.Veto;
import dev.muster.core.fit.VetoCounts;
import dev.muster.core.node.DomainCapacity.Histogram;
import dev.muster.core.node.NodeKind;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.topology.DomainPath;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Nodes that match the gang's static constraints, with their free capacity. A refusal is based on
/// these numbers.
///
/// Usually all nodes of a kind give one answer. The sums then come from the
/// [dev.muster.core.node.DomainCapacity], and no node is examined. If a request selects nodes by
/// labels, each node is asked once.
final class MatchingNodes {
  private final PlacementRequest query;
  private final Map<NodeKind, Long> byKind = new LinkedHashMap<>();
  private final Map<DomainPath, MatchingCapacity> known = new LinkedHashMap<>();
  private final boolean alike;
  private VetoCounts vetoCounts = VetoCounts.NONE;

  MatchingNodes(PlacementRequest query) {
    this.query = query;
    this.alike = askKinds();
    if (!alike) {
      vetoCounts = VetoCounts.NONE;
    }
  }

  private boolean askKinds() {
    for (Histogram nodes : query.cluster().fabric().capacity().byKind()) {
      long takes = 0;
      for (int kind = 0; kind < query.demand().kinds(); kind++) {
        Optional<Verdict> verdict = query.rules().verdictOfAll(nodes.kind(), kind);
        if (verdict.isEmpty()) {
          return false;
        }
        Optional<Veto> veto =
            verdict.get() instanceof Verdict.Vetoed(Veto why) ? Optional.of(why) : Optional.empty();
        takes |= veto.isEmpty() ? bit(kind) : 0;
        vetoCounts = counted(kind, veto, nodes.nodes());
      }
      byKind.put(nodes.kind(), takes);
    }
    return true;
  }

  private VetoCounts counted(int kind, Optional<Veto> veto, int nodes) {
    return kind == 0 && veto.isPresent() ? vetoCounts.plus(veto.get(), nodes) : vetoCounts;
  }

  /// Returns the bit of a kind of member. Kinds beyond the first 62 share the last bit, because
  /// gangs with so many kinds do not occur.
  static long bit(int kind) {
    return 1L << Math.min(kind, 62);
  }

  private long takes(NodeState node) {
    long takes = 0;
    for (int kind = 0; kind < query.demand().kinds(); kind++) {
      takes |= query.rules().veto(node, kind).isEmpty() ? bit(kind) : 0;
    }
    return takes;
  }

  /// Returns the reasons why examined nodes do not take the biggest kind of member.
  VetoCounts tally() {
    return vetoCounts;
  }

  /// Returns the capacity of the matching nodes of a domain.
  MatchingCapacity in(TopologyDomain domain) {
    MatchingCapacity before = known.get(domain.path());
    if (before != null) {
      return before;
    }
    MatchingCapacity stock = new MatchingCapacity();
    if (alike) {
      for (Histogram nodes : domain.capacity().byKind()) {
        stock.add(nodes, byKind.getOrDefault(nodes.kind(), 0L));
      }
    } else {
      for (NodeState node : domain.nodes()) {
        vetoCounts = counted(0, query.rules().veto(node, 0), 1);
        stock.add(node, takes(node));
      }
      domain.children().forEach(child -> stock.add(in(child)));
    }
    known.put(domain.path(), stock);
    return stock;
  }

  /// True if all nodes of each kind give one answer.
  boolean areAlike() {
    return alike;
  }

  /// True if nodes of the kind take the biggest kind of member. Valid only if [#areAlike] is true.
  boolean takesBiggest(NodeKind nodes) {
    return (byKind.getOrDefault(nodes, 0L) & 1) != 0;
  }

  /// Returns the free GPUs of a domain's nodes that take the biggest kind of member; -1 if none
  /// does.
  long freeIn(TopologyDomain domain) {
    if (!alike) {
      MatchingCapacity stock = in(domain);
      return (stock.some() & 1) == 0 ? -1 : stock.free();
    }
    long free = -1;
    for (Histogram nodes : domain.capacity().byKind()) {
      free = takesBiggest(nodes.kind()) ? Math.max(0, free) + nodes.free() : free;
    }
    return free;
  }

  /// Returns the capacity of a single node.
  MatchingCapacity on(NodeState node) {
    MatchingCapacity stock = new MatchingCapacity();
    stock.add(node, takes(node));
    return stock;
  }
}
