package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.CostLayout;
import dev.muster.core.placement.request.Question;
import dev.muster.core.placement.request.Slicing;
import dev.muster.core.placement.request.Space;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Works out what a node can take, and what each choice costs: the node itself, and what it leaves
/// behind.
final class NodeFills {
  private record Fill(int state, Space after) {}

  private final Question question;
  private final int mostOnNode;

  NodeFills(Question question, int mostOnNode) {
    this.question = question;
    this.mostOnNode = mostOnNode;
  }

  /// @param takes the kinds that the node takes, as bits
  Fills of(NodeState node, long takes) {
    Space empty = Space.on(node, question.demand());
    List<Fill> fills = new ArrayList<>();
    Optional<Slicing> cut =
        question.slicing().filter(s -> s.depth() == question.topology().nodeDepth());
    if (cut.isPresent()) {
      slices(node, takes, cut.get(), fills);
    } else {
      extend(0, 0, 0, takes, empty, fills);
    }
    return priced(node, empty, fills, cut);
  }

  /// Adds all numbers of members of the kinds from this one on, fewest first.
  private void extend(int kind, int state, int members, long takes, Space space, List<Fill> fills) {
    if (kind == question.demand().kinds()) {
      if (state > 0) {
        fills.add(new Fill(state, space));
      }
      return;
    }
    extend(kind + 1, state, members, takes, space, fills);
    int limit = (takes >> kind & 1) == 0 ? 0 : question.demand().count(kind);
    Space filled = space;
    for (int count = 1; count <= Math.min(limit, mostOnNode - members); count++) {
      filled = filled.copy();
      if (!filled.take(kind)) {
        return;
      }
      int reached = state + count * question.members().one(kind);
      extend(kind + 1, reached, members + count, takes, filled, fills);
    }
  }

  private void slices(NodeState node, long takes, Slicing cut, List<Fill> fills) {
    DomainPath place = node.place(cut.depth());
    for (int state = 1; state <= cut.states().all(); state++) {
      Space space = Space.on(node, question.demand());
      boolean fits = cut.allows(state, place) && takesAll(cut.members(state), takes, space);
      if (fits) {
        fills.add(new Fill(state, space));
      } else if (cut.states().sorts() == 1) {
        return;
      }
    }
  }

  private boolean takesAll(int members, long takes, Space space) {
    int all = 0;
    for (int kind = 0; kind < question.demand().kinds(); kind++) {
      int count = question.members().count(members, kind);
      if ((count > 0 && (takes >> kind & 1) == 0) || space.fill(kind, count) < count) {
        return false;
      }
      all += count;
    }
    return all <= mostOnNode;
  }

  private Fills priced(NodeState node, Space empty, List<Fill> fills, Optional<Slicing> cut) {
    CostLayout terms = question.terms();
    int[] states = new int[fills.size()];
    long[] cost = new long[fills.size() * terms.words()];
    String model = node.node().model().name();
    long before = fills.isEmpty() ? 0 : question.fragmentation().of(empty, model);
    int nodeDepth = question.topology().nodeDepth();
    long own = question.mates().areNear(node, nodeDepth) ? 0 : 1;
    for (int i = 0; i < states.length; i++) {
      int at = i * terms.words();
      states[i] = fills.get(i).state();
      terms.add(cost, at, nodeDepth, own);
      cost[at + terms.leftover()] =
          question.fragmentation().of(fills.get(i).after(), model) - before;
      cost[at + terms.slack()] = node.freeGpus();
      cost[at + terms.room()] = node.path().isLabelled() ? 0 : node.freeGpus();
    }
    return new Fills(new Costs(states, cost), question.members(), cut);
  }
}
