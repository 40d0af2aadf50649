package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.CostLayout;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.SliceLayout;
import dev.muster.core.placement.request.TrialNode;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Computes the sets of members that a node can take, and their costs.
///
/// A cost contains the node itself, the unmet preferences and the increase of fragmentation.
final class NodeOptionTable {
  private record Fill(int state, TrialNode after) {}

  private final PlacementRequest query;
  private final int mostOnNode;

  NodeOptionTable(PlacementRequest query, int mostOnNode) {
    this.query = query;
    this.mostOnNode = mostOnNode;
  }

  /// @param takes kinds that the node takes, as bits
  NodeOptions of(NodeState node, long takes) {
    TrialNode empty = TrialNode.on(node, query.demand());
    List<Fill> fills = new ArrayList<>();
    Optional<SliceLayout> cut =
        query.slicing().filter(s -> s.depth() == query.topology().nodeDepth());
    if (cut.isPresent()) {
      slices(node, takes, cut.get(), fills);
    } else {
      extend(0, 0, 0, takes, empty, fills);
    }
    return priced(node, empty, fills, cut);
  }

  /// Adds all combinations of members of this kind and later kinds, fewest first.
  private void extend(
      int kind, int state, int members, long takes, TrialNode trial, List<Fill> fills) {
    if (kind == query.demand().kinds()) {
      if (state > 0) {
        fills.add(new Fill(state, trial));
      }
      return;
    }
    extend(kind + 1, state, members, takes, trial, fills);
    int limit = (takes >> kind & 1) == 0 ? 0 : query.demand().count(kind);
    TrialNode filled = trial;
    for (int count = 1; count <= Math.min(limit, mostOnNode - members); count++) {
      filled = filled.copy();
      if (!filled.take(kind)) {
        return;
      }
      int reached = state + count * query.members().one(kind);
      extend(kind + 1, reached, members + count, takes, filled, fills);
    }
  }

  private void slices(NodeState node, long takes, SliceLayout cut, List<Fill> fills) {
    DomainPath place = node.place(cut.depth());
    for (int state = 1; state <= cut.vectors().all(); state++) {
      TrialNode trial = TrialNode.on(node, query.demand());
      boolean fits = cut.allows(state, place) && takesAll(cut.members(state), takes, trial);
      if (fits) {
        fills.add(new Fill(state, trial));
      } else if (cut.vectors().sorts() == 1) {
        return;
      }
    }
  }

  private boolean takesAll(int members, long takes, TrialNode trial) {
    int all = 0;
    for (int kind = 0; kind < query.demand().kinds(); kind++) {
      int count = query.members().count(members, kind);
      if ((count > 0 && (takes >> kind & 1) == 0) || trial.fill(kind, count) < count) {
        return false;
      }
      all += count;
    }
    return all <= mostOnNode;
  }

  private NodeOptions priced(
      NodeState node, TrialNode empty, List<Fill> fills, Optional<SliceLayout> cut) {
    CostLayout terms = query.terms();
    int[] states = new int[fills.size()];
    long[] cost = new long[fills.size() * terms.words()];
    String model = node.node().model().name();
    long before = fills.isEmpty() ? 0 : query.fragmentation().of(empty, model);
    List<Long> unmet = query.preferences().ofEach(node.node());
    int nodeDepth = query.topology().nodeDepth();
    long own = query.placed().areNear(node, nodeDepth) ? 0 : 1;
    for (int i = 0; i < states.length; i++) {
      int at = i * terms.words();
      int state = fills.get(i).state();
      states[i] = state;
      terms.add(cost, at, nodeDepth, own);
      terms.addUnmet(cost, at, unmet(unmet, cut.map(c -> c.members(state)).orElse(state)));
      cost[at + terms.leftover()] = query.fragmentation().of(fills.get(i).after(), model) - before;
      cost[at + terms.slack()] = node.freeGpus();
      cost[at + terms.freeGpus()] = node.path().isLabelled() ? 0 : node.freeGpus();
    }
    return new NodeOptions(new CostProfile(states, cost), query.members(), cut);
  }

  /// Returns the unmet preferences of these members.
  ///
  /// @param each unmet preferences of one member of each kind; empty if none matter
  private long unmet(List<Long> each, int members) {
    long sum = 0;
    for (int kind = 0; kind < each.size(); kind++) {
      sum += query.members().count(members, kind) * each.get(kind);
    }
    return sum;
  }
}
