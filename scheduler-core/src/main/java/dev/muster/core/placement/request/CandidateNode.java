package dev.muster.core.placement.request;

import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.Collections;
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
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      taken.add(capacity(taken, kindCounts, kind));
    }
    return taken;
  }

  /// Returns the members of one kind that fit here alone.
  public int most(KindCounts kindCounts, int kind) {
    return capacity(Collections.nCopies(kind, 0), kindCounts, kind);
  }

  /// Returns the maximal sets of members that fit here, most of the biggest kind first. No member
  /// can be added to a maximal set.
  public List<List<Integer>> maximalFills(KindCounts kindCounts) {
    List<List<Integer>> fills = new ArrayList<>();
    extend(new ArrayList<>(), kindCounts, fills);
    fills.removeIf(fill -> !isMaximal(fill, kindCounts));
    return fills;
  }

  private void extend(List<Integer> taken, KindCounts kindCounts, List<List<Integer>> fills) {
    if (taken.size() == kindCounts.kinds().size()) {
      fills.add(List.copyOf(taken));
      return;
    }
    for (int count = capacity(taken, kindCounts, taken.size());
        count >= 0 && fills.size() < WAYS;
        count--) {
      taken.add(count);
      extend(taken, kindCounts, fills);
      taken.removeLast();
    }
  }

  private boolean isMaximal(List<Integer> fill, KindCounts kindCounts) {
    KindCounts left = kindCounts.minus(fill);
    for (int kind = 0; kind < fill.size(); kind++) {
      if (left.counts().get(kind) > 0 && capacity(fill, left, kind) > 0) {
        return false;
      }
    }
    return true;
  }

  /// Returns the members of a kind that fit after members of earlier kinds were taken.
  ///
  /// @param taken members already taken of each of the first kinds
  private int capacity(List<Integer> taken, KindCounts kindCounts, int kind) {
    TrialNode trial = TrialNode.on(node, demand);
    for (int other = 0; other < taken.size(); other++) {
      trial.fill(other, taken.get(other));
    }
    return takes.get(kind) ? trial.fill(kind, kindCounts.counts().get(kind)) : 0;
  }
}
