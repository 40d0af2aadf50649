package dev.muster.simulator.pack;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The free capacity that the expected pods cannot use.
///
/// Goals: one figure for the GPUs that are free but lost.
///
/// Constraints: it is computed for every node that a pod could use, so the expected pods are
/// limited to the most frequent shapes.
///
/// Algorithm: for a pod shape, all free GPUs of a node are fragments if the pod does not fit there.
/// Otherwise a GPU is a fragment if less of it is free than the pod needs of one. The fragmentation
/// of a node is the mean over the shapes, weighted by how often each occurs. A shape without GPUs
/// can use none of them, so all are fragments to it.
///
/// Source: Weng, Yang, Yu, Wang, Tang, Yang, Zhang: Beware of Fragmentation: Scheduling GPU-Sharing
/// Workloads with Fragmentation Gradient Descent, USENIX ATC 2023, section 3.
///
/// Example: GPUs with 300 and 1000 free; half of the pods need 500 of one, half a whole one. The
/// 300 are a fragment to both: the fragmentation is 300. With 600 instead of 300 it is half of 600.
final class Fragments {
  private static final int MOST_SHAPES = 128;

  private final List<Map.Entry<PackPod, Integer>> shapes;
  private final double pods;

  /// @param pods all that are to be expected
  Fragments(List<PackPod> pods) {
    Map<PackPod, Integer> counts = new LinkedHashMap<>();
    pods.forEach(pod -> counts.merge(pod, 1, Integer::sum));
    this.shapes =
        counts.entrySet().stream()
            .sorted(
                Comparator.comparingInt((Map.Entry<PackPod, Integer> e) -> e.getValue()).reversed())
            .limit(MOST_SHAPES)
            .toList();
    this.pods = shapes.stream().mapToInt(Map.Entry::getValue).sum();
  }

  /// Thousandths of GPUs of the node that are fragments.
  double of(PackNode box) {
    double sum = 0;
    for (Map.Entry<PackPod, Integer> shape : shapes) {
      sum += shape.getValue() * of(box, shape.getKey());
    }
    return sum / pods;
  }

  private static double of(PackNode box, PackPod pod) {
    if (pod.devices() == 0 || !box.fits(pod)) {
      return box.free();
    }
    double lost = 0;
    for (int left : box.milli) {
      lost += left < pod.milli() ? left : 0;
    }
    return lost;
  }
}
