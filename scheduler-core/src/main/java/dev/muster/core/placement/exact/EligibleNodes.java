package dev.muster.core.placement.exact;

import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.FreeCapacity;
import dev.muster.core.node.NodeKind;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.CountVectors;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PlacementRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// The nodes directly in a domain that have capacity, each with the members it can take.
///
/// Nodes with equal capacity and equal preferences are one class, which is computed once.
final class EligibleNodes {
  private record NodeClassKey(
      NodeKind kind,
      Resources free,
      int gpus,
      List<Integer> shared,
      long takes,
      List<Long> unmet,
      String place) {}

  private final PlacementRequest query;
  private final ModelFilter models;
  private final NodeOptionTable fills;
  private final Map<NodeClassKey, NodeClass> known = new LinkedHashMap<>();
  private int looked;

  /// The members that nodes of one class can take, with a count of the nodes met.
  private static final class NodeClass {
    private final NodeOptions options;
    private int look;
    private int used;

    NodeClass(NodeOptions options) {
      this.options = options;
    }

    /// Counts a node of the class. Returns the nodes met during this look at a domain, this one
    /// included.
    int met(int at) {
      used = look == at ? used + 1 : 1;
      look = at;
      return used;
    }
  }

  EligibleNodes(PlacementRequest query, ModelFilter models, int mostOnNode) {
    this.query = query;
    this.models = models;
    this.fills = new NodeOptionTable(query, mostOnNode);
  }

  /// Returns the matching nodes directly in the domain. Of equal nodes only the first are returned,
  /// as many as could be useful.
  List<CostNode> in(TopologyDomain domain, Predicate<NodeState> counts) {
    List<CostNode> found = new ArrayList<>();
    int marks = FreeCapacity.marksFrom(leastGpus());
    looked++;
    for (NodeState node : domain.nodes().marked(marks, NodeState::mark)) {
      long takes = counts.test(node) ? takes(node) : 0;
      if (takes != 0) {
        NodeClass sort = sort(node, takes);
        if (!sort.options.costs().isEmpty() && sort.met(looked) <= useful(sort.options)) {
          found.add(new CostNode.Berth(node, sort.options));
        }
      }
    }
    return found;
  }

  /// Returns the fewest GPUs that any member requests.
  private int leastGpus() {
    int least = Integer.MAX_VALUE;
    for (Request kind : query.kindCounts().kinds()) {
      least = Math.min(least, kind.gpus());
    }
    return least;
  }

  private NodeClass sort(NodeState node, long takes) {
    NodeClassKey alike = classOf(node, takes);
    NodeClass sort = known.get(alike);
    if (sort == null) {
      sort = new NodeClass(fills.of(node, takes));
      known.put(alike, sort);
    }
    return sort;
  }

  private int useful(NodeOptions fill) {
    CountVectors vectors = query.statesAt(query.topology().depth());
    if (vectors.sorts() == 1) {
      return vectors.all() / fill.costs().states()[0];
    }
    int all = 0;
    for (int sort = 0; sort < vectors.sorts(); sort++) {
      all += vectors.limit(sort);
    }
    return all;
  }

  /// Returns the kinds that the node takes, as bits.
  private long takes(NodeState node) {
    long takes = 0;
    for (int kind = 0; kind < query.demand().kinds(); kind++) {
      if (hasRoom(node, kind) && query.rules().takes(node, kind)) {
        takes |= 1L << kind;
      }
    }
    return takes;
  }

  private boolean hasRoom(NodeState node, int kind) {
    Request request = query.demand().kind(kind);
    return node.freeGpus() >= request.gpus()
        && models.takes(node, request)
        && node.free().covers(request.resources());
  }

  private NodeClassKey classOf(NodeState node, long takes) {
    return new NodeClassKey(
        node.kind(),
        node.free(),
        node.freeGpus(),
        node.sharedFree(),
        takes,
        query.preferences().ofEach(node.node()),
        place(node));
  }

  /// Returns the name of the node if its place affects costs, else an empty string.
  private String place(NodeState node) {
    boolean pinned = query.slicing().isPresent() && query.slicing().get().hasPins();
    boolean settled = query.placed().areNear(node, query.topology().nodeDepth());
    return pinned || settled ? node.id().name() : "";
  }
}
