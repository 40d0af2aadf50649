package dev.muster.core.placement.diagnosis;

import dev.muster.core.fit.Verdict;
import dev.muster.core.fit.Veto;
import dev.muster.core.fit.VetoCounts;
import dev.muster.core.gang.Request;
import dev.muster.core.node.DomainCapacity.Histogram;
import dev.muster.core.node.FreeCapacity;
import dev.muster.core.node.NodeKind;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.topology.DomainPath;
import java.util.LinkedHashMap;
import java.util.List;
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
  private final AskedResources asked;
  private final boolean alike;
  private VetoCounts vetoCounts = VetoCounts.NONE;

  MatchingNodes(PlacementRequest query) {
    this.query = query;
    this.asked = new AskedResources(query.kindCounts());
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
        takes |= veto.isEmpty() ? AskedResources.bit(kind) : 0;
        vetoCounts = counted(kind, veto, nodes.nodes());
      }
      byKind.put(nodes.kind(), takes);
    }
    return true;
  }

  private VetoCounts counted(int kind, Optional<Veto> veto, int nodes) {
    return kind == 0 && veto.isPresent() ? vetoCounts.plus(veto.get(), nodes) : vetoCounts;
  }

  private long takes(NodeState node) {
    long takes = 0;
    for (int kind = 0; kind < query.demand().kinds(); kind++) {
      takes |= query.rules().veto(node, kind).isEmpty() ? AskedResources.bit(kind) : 0;
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
    MatchingCapacity stock = new MatchingCapacity(asked);
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

  /// Returns the reasons why nodes do not take members of the kind.
  VetoCounts tally(int kind) {
    VetoCounts counts = VetoCounts.NONE;
    if (alike) {
      for (Histogram nodes : query.cluster().fabric().capacity().byKind()) {
        Optional<Verdict> verdict = query.rules().verdictOfAll(nodes.kind(), kind);
        counts =
            verdict.isPresent() && verdict.get() instanceof Verdict.Vetoed(Veto why)
                ? counts.plus(why, nodes.nodes())
                : counts;
      }
      return counts;
    }
    for (NodeState node : query.cluster().nodes()) {
      Optional<Veto> veto = query.rules().veto(node, kind);
      counts = veto.isPresent() ? counts.plus(veto.get(), 1) : counts;
    }
    return counts;
  }

  /// Returns the number of nodes that take no member of the kind now, but will. An earlier pod of
  /// the gang still terminates there.
  int beingLeft(int kind) {
    int nodes = 0;
    for (NodeState node : alike ? List.<NodeState>of() : query.cluster().nodes()) {
      boolean mate = query.rules().veto(node, kind).orElse(null) instanceof Veto.MateOnNode;
      nodes += mate && query.placed().isBeingLeft(node.id()) ? 1 : 0;
    }
    return nodes;
  }

  /// Returns the capacity of a single node.
  MatchingCapacity on(NodeState node) {
    MatchingCapacity stock = new MatchingCapacity(asked);
    stock.add(node, takes(node));
    return stock;
  }

  /// Shows the visitor the free capacities of the domain's nodes that take members of the kind.
  ///
  /// @return false if the visitor needed no more
  boolean visit(TopologyDomain domain, int kind, ModelFilter models, Visitor visitor) {
    Request request = query.demand().kind(kind);
    if (alike) {
      for (FreeCapacity offer : domain.capacity().vacancies().keys()) {
        boolean takes =
            (byKind.getOrDefault(offer.kind(), 0L) & AskedResources.bit(kind)) != 0
                && models.takes(offer.kind(), request);
        if (takes && !visitor.more(offer, domain.capacity().vacancies().get(offer).orElse(0))) {
          return false;
        }
      }
      return true;
    }
    for (NodeState node : domain.nodes()) {
      if (mayTake(node, kind, models) && !visitor.more(node.freeCapacity(), 1)) {
        return false;
      }
    }
    for (TopologyDomain child : domain.children()) {
      if (!visit(child, kind, models, visitor)) {
        return false;
      }
    }
    return true;
  }

  /// True if the node takes members of the kind, were it empty.
  boolean mayTake(NodeState node, int kind, ModelFilter models) {
    Request request = query.demand().kind(kind);
    return models.takes(node, request) && query.rules().takes(node, kind);
  }

  /// A receiver of free capacities.
  @FunctionalInterface
  interface Visitor {
    /// Takes the free capacity of this number of nodes. Returns false if it needs no more.
    boolean more(FreeCapacity offer, int nodes);
  }
}
