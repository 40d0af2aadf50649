package dev.muster.core.placement.greedy;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.CandidateNode;
import dev.muster.core.placement.request.KindCounts;
import dev.muster.core.placement.request.PackingAllowance;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Finds a packing of several kinds of members if the greedy choice of [GreedyPacking] found none.
///
/// Goals: no refusal of a gang that fits, in bounded time: at most [#STEPS] sets on at most
/// [#NODES] nodes.
///
/// Constraints: those of [GreedyPacking]. The number of domains and nodes is not minimized, because
/// the search is for subtrees that are the narrowest left.
///
/// Algorithm: depth-first search over the nodes. Each node gets a maximal set of members, one to
/// which no remaining member can be added. If a packing exists, one with maximal sets exists,
/// because members can be moved to an earlier node with capacity. A branch ends if the remaining
/// nodes cannot hold the remaining members of some kind, or if it was tried before with equal
/// members and nodes left. It also ends if the free GPUs, CPU and other resources of these nodes do
/// not cover what the members need together. The search gives up after [#STEPS] sets, or when the
/// [PackingAllowance] is used up.
///
/// Example: nodes with 6 and 4 free GPUs, members of 4, 3 and 3 GPUs. The greedy choice puts the
/// member of 4 on the first node. Then 2 and 4 GPUs are left for two members of 3. This search
/// tries the first node with {4}, then with {3, 3}, which leaves the second node for the member of
/// 4.
final class ExactPacking {
  private static final int STEPS = 2_000;

  /// Limit on the nodes of a searched subtree. On larger ones the greedy choice seldom fails,
  /// because much capacity is free.
  private static final int NODES = 64;

  private final KindCounts kindCounts;
  private final PackingAllowance allowance;
  private final List<CandidateSubtree> nodes = new ArrayList<>();

  /// For each kind, the maximum of members that the nodes from an index on hold together.
  private final List<List<Integer>> holds = new ArrayList<>();

  /// The free resources of the nodes from an index on, together.
  private final List<Resources> free;

  private final Set<List<Integer>> failed = new LinkedHashSet<>();
  private int steps;

  private ExactPacking(
      CandidateSubtree subtree, KindCounts kindCounts, PackingAllowance allowance) {
    this.kindCounts = kindCounts;
    this.allowance = allowance;
    collect(subtree);
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      holds.add(suffixSums(kind));
    }
    free = freeSums();
  }

  /// Returns a packing of all members; empty if there is none, or none was found in time.
  static Optional<GreedyPacking> into(
      CandidateSubtree subtree, KindCounts kindCounts, PackingAllowance allowance) {
    if (!allowance.isLeft() || subtree.nodeCount() > NODES) {
      return Optional.empty();
    }
    ExactPacking search = new ExactPacking(subtree, kindCounts, allowance);
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

  private List<Resources> freeSums() {
    List<Resources> sums = new ArrayList<>(List.of(Resources.NONE));
    for (CandidateSubtree node : nodes.reversed()) {
      NodeState state = node.candidate().orElseThrow().node();
      sums.add(sums.getLast().plus(state.freeCapacity().free().atLeastNone()));
    }
    return sums.reversed();
  }

  /// Returns the fills of the nodes from the index on, last node first.
  private Optional<List<GreedyPacking.DomainFill>> from(int index, KindCounts left) {
    if (left.areMet()) {
      return Optional.of(new ArrayList<>());
    }
    List<Integer> state = new ArrayList<>(left.counts());
    state.add(index);
    if (!isPossible(index, left) || !failed.add(state)) {
      return Optional.empty();
    }
    CandidateNode node = nodes.get(index).candidate().orElseThrow();
    for (List<Integer> taken : node.maximalFills(left, allowance)) {
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
    if (!free.get(index).covers(left.resources())) {
      return false;
    }
    for (int kind = 0; kind < holds.size(); kind++) {
      if (holds.get(kind).get(index) < left.counts().get(kind)) {
        return false;
      }
    }
    return true;
  }
}
