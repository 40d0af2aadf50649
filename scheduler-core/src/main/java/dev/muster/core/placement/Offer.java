package dev.muster.core.placement;

import dev.muster.core.cluster.NodeState;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// A node that would take members of some kinds, were it empty, and what is free on it.
///
/// @param node the node
/// @param free what is free now
/// @param takes for each kind of the gang's needs, whether the node takes it
record Offer(NodeState node, Resources free, List<Boolean> takes) {
  /// More ways than this to fill one node are not told apart.
  private static final int WAYS = 1_000;

  /// How many members of each kind find room here together, the biggest kind first.
  List<Integer> fill(Needs needs) {
    List<Integer> taken = new ArrayList<>();
    for (int kind = 0; kind < needs.kinds().size(); kind++) {
      taken.add(room(taken, needs, kind));
    }
    return taken;
  }

  /// How many members of one kind find room here alone.
  int most(Needs needs, int kind) {
    return room(nothing(kind), needs, kind);
  }

  private static List<Integer> nothing(int kinds) {
    return Collections.nCopies(kinds, 0);
  }

  /// All sets of members for which there is room here and to which none can be added, most of the
  /// biggest kind first.
  List<List<Integer>> maximalFills(Needs needs) {
    List<List<Integer>> fills = new ArrayList<>();
    extend(new ArrayList<>(), needs, fills);
    fills.removeIf(fill -> !isMaximal(fill, needs));
    return fills;
  }

  private void extend(List<Integer> taken, Needs needs, List<List<Integer>> fills) {
    if (taken.size() == needs.kinds().size()) {
      fills.add(List.copyOf(taken));
      return;
    }
    for (int count = room(taken, needs, taken.size()); count >= 0 && fills.size() < WAYS; count--) {
      taken.add(count);
      extend(taken, needs, fills);
      taken.removeLast();
    }
  }

  private boolean isMaximal(List<Integer> fill, Needs needs) {
    Needs left = needs.minus(fill);
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
  private int room(List<Integer> taken, Needs needs, int kind) {
    Request request = needs.kinds().get(kind);
    Resources left = free;
    boolean lonely = false;
    for (int other = 0; other < taken.size(); other++) {
      Request mate = needs.kinds().get(other);
      left = left.minus(mate.resources().times(taken.get(other)));
      lonely |= mate.onePerNode() && taken.get(other) > 0;
    }
    int most = request.onePerNode() ? (lonely ? 0 : 1) : Integer.MAX_VALUE;
    return takes.get(kind)
        ? left.holds(request.resources(), Math.min(most, needs.counts().get(kind)))
        : 0;
  }

  /// The same offer for a gang that wants one GPU model: other nodes take only its members without
  /// GPUs.
  Offer forModel(String model, Needs needs) {
    boolean same = node.node().model().name().equals(model);
    return same ? this : new Offer(node, free, withoutGpus(needs));
  }

  private List<Boolean> withoutGpus(Needs needs) {
    List<Boolean> cut = new ArrayList<>(takes);
    for (int kind = 0; kind < cut.size(); kind++) {
      cut.set(kind, takes.get(kind) && needs.kinds().get(kind).gpus() == 0);
    }
    return List.copyOf(cut);
  }

  boolean takesNothing() {
    return !takes.contains(true);
  }
}
