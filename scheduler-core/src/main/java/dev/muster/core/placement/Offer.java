package dev.muster.core.placement;

import dev.muster.core.cluster.NodeState;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.ArrayList;
import java.util.List;

/// A node that would take members of some kinds, were it empty, and what is free on it.
///
/// @param node the node
/// @param free what is free now
/// @param takes for each kind of the gang's needs, whether the node takes it
record Offer(NodeState node, Resources free, List<Boolean> takes) {
  /// How many members of each kind find room here together, the biggest kind first.
  List<Integer> fill(Needs needs) {
    List<Integer> taken = new ArrayList<>();
    Resources left = free;
    boolean lonely = false;
    for (int kind = 0; kind < needs.counts().size(); kind++) {
      Request request = needs.kinds().get(kind);
      int most = request.onePerNode() && lonely ? 0 : needs.counts().get(kind);
      int fits =
          takes.get(kind)
              ? left.holds(request.resources(), request.onePerNode() ? Math.min(1, most) : most)
              : 0;
      left = left.minus(request.resources().times(fits));
      lonely |= request.onePerNode() && fits > 0;
      taken.add(fits);
    }
    return taken;
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
