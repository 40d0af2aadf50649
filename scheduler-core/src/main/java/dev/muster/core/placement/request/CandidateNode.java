package dev.muster.core.placement.request;

import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.List;

/// A node that would take members of some kinds if it were empty.
///
/// @param node the node
/// @param demand demand of the kinds
/// @param takes one flag for each kind: true if the node takes it
public record CandidateNode(NodeState node, KindDemand demand, List<Boolean> takes) {
  /// Limit on the ways to fill one node; further ways are ignored.
  private static final int WAYS = 1_000;

  /// Returns the members of each kind that fit here together, filled greedily, biggest kind first.
  public List<Integer> fill(KindCounts kindCounts) {
    List<Integer> taken = new ArrayList<>();
    TrialNode trial = TrialNode.on(node, demand);
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      taken.add(fill(trial, kindCounts, kind));
    }
    return taken;
  }

  /// Returns the members of one kind that fit here alone.
  public int most(KindCounts kindCounts, int kind) {
    return fill(TrialNode.on(node, demand), kindCounts, kind);
  }

  /// Returns the maximal sets of members that fit here, most of the biggest kind first. No member
  /// can be added to a maximal set. Sets beyond the allowance are left out.
  public List<List<Integer>> maximalFills(KindCounts kindCounts, PackingAllowance allowance) {
    List<List<Integer>> fills = new ArrayList<>();
    PackingAllowance ways = allowance.upTo(WAYS);
    extend(TrialNode.on(node, demand), new ArrayList<>(), kindCounts, fills, ways);
    return fills;
  }

  /// Adds the maximal sets with these members of the first kinds.
  ///
  /// @param trial the node with them
  private void extend(
      TrialNode trial,
      List<Integer> taken,
      KindCounts kindCounts,
      List<List<Integer>> fills,
      PackingAllowance ways) {
    int kind = taken.size();
    if (kind == kindCounts.kinds().size()) {
      ways.use();
      if (isMaximal(trial, taken, kindCounts)) {
        fills.add(List.copyOf(taken));
      }
      return;
    }
    for (int count = fill(trial.copy(), kindCounts, kind); count >= 0 && ways.isLeft(); count--) {
      TrialNode next = trial.copy();
      next.fill(kind, count);
      taken.add(count);
      extend(next, taken, kindCounts, fills, ways);
      taken.removeLast();
    }
  }

  private boolean isMaximal(TrialNode trial, List<Integer> taken, KindCounts kindCounts) {
    for (int kind = 0; kind < taken.size(); kind++) {
      if (taken.get(kind) < kindCounts.counts().get(kind)
          && takes.get(kind)
          && trial.copy().take(kind)) {
        return false;
      }
    }
    return true;
  }

  private int fill(TrialNode trial, KindCounts kindCounts, int kind) {
    return takes.get(kind) ? trial.fill(kind, kindCounts.counts().get(kind)) : 0;
  }
}
