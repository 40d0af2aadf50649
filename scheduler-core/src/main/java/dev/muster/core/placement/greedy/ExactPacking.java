package dev.muster.core.placement.greedy;

import dev.muster.core.placement.request.KindCounts;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Finds room for members of several kinds where [GreedyPacking]'s greedy choice found none.
///
/// Goals: no gang is refused for which there is room; bounded time: at most [#STEPS] sets on at
/// most [#NODES] nodes.
///
/// Constraints: those of [GreedyPacking]. Fewness of domains and nodes is not sought: it is for sites
/// that are the narrowest left.
///
/// Algorithm: depth first over the nodes. A node is given a maximal set of members, one to which
/// none that is left can be added: if there is any way, there is one with maximal sets, since
/// members can be moved to an earlier node that has room. Branches end where the nodes that are
/// left cannot hold what is left of some kind, and where the same rest was tried with the same
/// nodes left. After [#STEPS] sets the search gives up.
///
/// Example: nodes with 6 and 4 GPUs free, members of 4, 3 and 3. Greedy puts the 4 on the first
/// node and is left with 2 and 4 for two members of 3. Here the first node is tried with {4}, then
/// with {3, 3}, which leaves the second for the 4.
final class ExactPacking {
  private static final int STEPS = 2_000;

  /// Sites with more nodes are left to the greedy choice, which seldom fails where there is much
  /// room.
  private static final int NODES = 64;

  private final KindCounts kindCounts;
  private final List<CandidateSubtree> nodes = new ArrayList<>();

  /// For each kind, how many members the nodes from an index on hold at most.
  private final List<List<Integer>> holds = new ArrayList<>();

  private final Set<List<Integer>> failed = new LinkedHashSet<>();
  private int steps;

  private ExactPacking(CandidateSubtree subtree, KindCounts kindCounts) {
    this.kindCounts = kindCounts;
    collect(subtree);
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      holds.add(suffixSums(kind));
    }
  }

  /// A packing of all that is needed; empty when there is none, or none was found in time.
  static Optional<GreedyPacking> into(CandidateSubtree subtree, KindCounts kindCounts) {
    if (subtree.nodeCount() > NODES) {
      return Optional.empty();
    }
    ExactPacking search = new ExactPacking(subtree, kindCounts);
    return search
        .from(0, kindCounts)
        .map(parts -> new GreedyPacking(parts.reversed(), kindCounts.minus(kindCounts.counts())));
  }

  private void collect(CandidateSubtree subtree) {
    if (subtree.isNode()) {
      nodes.add(subtree);
    }
    subtree.children().forEach(this::collect);
  }

  private List<Integer> suffixSums(int kind) {
    List<Integer> sums = new ArrayList<>(List.of(0));
    for (CandidateSubtree node : nodes.reversed()) {
      sums.add(sums.getLast() + node.candidate().orElseThrow().most(kindCounts, kind));
    }
    return sums.reversed();
  }

  /// The parts of the nodes from the index on, last node first.
  private Optional<List<GreedyPacking.DomainFill>> from(int index, KindCounts left) {
    if (left.areMet()) {
      return Optional.of(new ArrayList<>());
    }
    List<Integer> state = new ArrayList<>(left.counts());
    state.add(index);
    if (!isPossible(index, left) || !failed.add(state)) {
      return Optional.empty();
    }
    for (List<Integer> taken : nodes.get(index).candidate().orElseThrow().maximalFills(left)) {
      if (++steps > STEPS) {
        return Optional.empty();
      }
      Optional<List<GreedyPacking.DomainFill>> rest = from(index + 1, left.minus(taken));
      if (rest.isPresent()) {
        add(rest.get(), new GreedyPacking.DomainFill(nodes.get(index), taken));
        return rest;
      }
    }
    return Optional.empty();
  }

  private static void add(List<GreedyPacking.DomainFill> parts, GreedyPacking.DomainFill part) {
    if (part.members() > 0) {
      parts.add(part);
    }
  }

  private boolean isPossible(int index, KindCounts left) {
    for (int kind = 0; kind < holds.size(); kind++) {
      if (holds.get(kind).get(index) < left.counts().get(kind)) {
        return false;
      }
    }
    return true;
  }
}
