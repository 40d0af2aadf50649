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

/// Which nodes would take members, were they empty, and what is free on them: the numbers that a
/// refusal rests on.
///
/// Where all nodes of a kind say the same, which is nearly always, the sums are those of the
/// [dev.muster.core.node.DomainCapacity] and no node is looked at. A request that names labels is
/// asked of each node, once.
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

  /// What stands for a kind of member among those that are taken. Kinds beyond the first 63 count
  /// as taken where the last of those is: there are no such gangs.
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

  /// Why nodes would not take the biggest kind of member, those in the domains asked for.
  VetoCounts tally() {
    return vetoCounts;
  }

  /// What the nodes of a domain that would take members have.
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

  /// Whether all nodes of a kind say the same.
  boolean areAlike() {
    return alike;
  }

  /// Whether nodes of the kind take the biggest kind of member; only where all of a kind say the
  /// same.
  boolean takesBiggest(NodeKind nodes) {
    return (byKind.getOrDefault(nodes, 0L) & 1) != 0;
  }

  /// The free GPUs of the nodes of a domain that take the biggest kind of member; -1 where none
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

  /// What a node that would take members has.
  MatchingCapacity on(NodeState node) {
    MatchingCapacity stock = new MatchingCapacity();
    stock.add(node, takes(node));
    return stock;
  }
}
