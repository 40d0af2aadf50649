package dev.muster.simulator.pack;

import java.util.List;

/// A packing policy.
interface Packer {
  /// Puts the pod on a node, if there is room for it.
  ///
  /// @param boxes all nodes; of equally good ones the first is taken
  /// @return whether there was
  boolean put(PackPod pod, List<PackNode> boxes);

  /// The score of a node for a pod that fits there. The node with the highest is chosen.
  ///
  /// Scores are truncated to whole numbers, 0 to 100, as kube-scheduler has them. So many nodes are
  /// equally good, and the order of the nodes decides.
  interface Score {
    int of(PackNode box, PackPod pod);
  }

  /// The policy that takes the node with the highest score. A part goes to its tightest GPU.
  static Packer highest(Score score) {
    return (pod, boxes) -> {
      PackNode best = null;
      int highest = Integer.MIN_VALUE;
      for (PackNode box : boxes) {
        if (box.fits(pod)) {
          int found = score.of(box, pod);
          if (best == null || found > highest) {
            best = box;
            highest = found;
          }
        }
      }
      if (best != null) {
        best.put(pod);
      }
      return best != null;
    };
  }
}
