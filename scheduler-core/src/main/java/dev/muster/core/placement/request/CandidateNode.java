package dev.muster.core.placement.request;

import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// A node that would take members of some kinds, were it empty.
///
/// @param node the node
/// @param demand what the kinds need
/// @param takes for each kind, whether the node takes it
public record CandidateNode(NodeState node, KindDemand demand, List<Boolean> takes) {
  /// More ways than this to fill one node are not told apart.
  private static final int WAYS = 1_000;

  /// How many members of each kind find room here together, the biggest kind first.
  public List<Integer> fill(KindCounts kindCounts) {
    List<Integer> taken = new ArrayList<>();
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      taken.add(room(taken, kindCounts, kind));
    }
    return taken;
  }

  /// How many members of one kind find room here alone.
  public int most(KindCounts kindCounts, int kind) {
    return room(Collections.nCopies(kind, 0), kindCounts, kind);
  }

  /// All sets of members for which there is room here and to which none can be added, most of the
  /// biggest kind first.
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
    for (int count = room(taken, kindCounts, taken.size()); count >= 0 && fills.size() < WAYS; count--) {
      taken.add(count);
      extend(taken, kindCounts, fills);
      taken.removeLast();
    }
  }

  private boolean isMaximal(List<Integer> fill, KindCounts kindCounts) {
    KindCounts left = kindCounts.minus(fill);
    for (int kind = 0; kind < fill.size(); kind++) {
      if (left.counts().get(kind) > 0 && room(fill, left, kind) > 0) {
        return false;
      }
    }
    return true;
  }

  /// How many members of a kind find room beside those taken of the kinds before.
  ///
  /// @param taken how many of the first kinds were taken already
  private int room(List<Integer> taken, KindCounts kindCounts, int kind) {
    TrialNode trial = TrialNode.on(node, demand);
    for (int other = 0; other < taken.size(); other++) {
      trial.fill(other, taken.get(other));
    }
    return takes.get(kind) ? trial.fill(kind, kindCounts.counts().get(kind)) : 0;
  }
}
