package dev.muster.simulator.pack;

import java.util.List;

/// A packing policy.
interface Packer {
  /// Puts the pod on a node, if there is room for it.
  ///
  /// @param boxes all nodes; of equally good ones the first is taken
  /// @return whether there was
  boolean put(PackPod pod, List<PackNode> boxes);

  /// The badness of a node for a pod that fits there. The node with the least is chosen.
  interface Score {
    double of(PackNode box, PackPod pod);
  }

  /// The policy that takes the node with the least score.
  static Packer least(Score score) {
    return (pod, boxes) -> {
      PackNode best = null;
      double least = Double.POSITIVE_INFINITY;
      for (PackNode box : boxes) {
        double found = box.fits(pod) ? score.of(box, pod) : Double.POSITIVE_INFINITY;
        if (found < least) {
          best = box;
          least = found;
        }
      }
      if (best != null) {
        best.put(pod);
      }
      return best != null;
    };
  }
}
