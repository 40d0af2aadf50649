package dev.muster.simulator.pack;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The free capacity that the expected pods cannot use.
///
/// Goals: one figure for the GPUs that are free but lost.
///
/// Constraints: it is computed for every node that a pod could use, so the expected pods are
/// limited to the most frequent shapes, at least 95 % of all pods.
///
/// Algorithm: for a pod shape, all free GPUs of a node are fragments if the pod does not fit there.
/// Otherwise a GPU is a fragment if less of it is free than the pod needs of one. The fragmentation
/// of a node is the mean over the shapes, weighted by how often each occurs. A shape without GPUs
/// can use none of them, so all are fragments to it. Memory does not count.
///
/// Source: Weng, Yang, Yu, Wang, Tang, Yang, Zhang: Beware of Fragmentation: Scheduling GPU-Sharing
/// Workloads with Fragmentation Gradient Descent, USENIX ATC 2023, section 3.
///
/// Example: GPUs with 300 and 1000 free; half of the pods need 500 of one, half a whole one. The
/// 300 are a fragment to both: the fragmentation is 300. With 600 instead of 300 it is half of 600.
final class Fragments {
  private static final int PERCENT = 95;

  private static final Comparator<PackPod> LARGEST =
      Comparator.comparingLong(PackPod::cpuMilli)
          .thenComparingInt(PackPod::milli)
          .thenComparingInt(PackPod::devices)
          .thenComparing(pod -> String.join("|", pod.choice().models()))
          .reversed();

  private final PackPod[] shapes;
  private final long[] counts;
  private final long pods;

  /// @param all that are to be expected
  Fragments(List<PackPod> all) {
    Map<PackPod, Integer> found = new HashMap<>();
    all.forEach(pod -> found.merge(pod.withoutMemory(), 1, Integer::sum));
    List<Map.Entry<PackPod, Integer>> sorted = new ArrayList<>(found.entrySet());
    sorted.sort(
        Map.Entry.<PackPod, Integer>comparingByValue()
            .reversed()
            .thenComparing(Map.Entry.comparingByKey(LARGEST)));
    int size = 0;
    long sum = 0;
    while (100 * sum < PERCENT * (long) all.size()) {
      sum += sorted.get(size++).getValue();
    }
    List<Map.Entry<PackPod, Integer>> frequent = sorted.subList(0, size);
    this.shapes = frequent.stream().map(Map.Entry::getKey).toArray(PackPod[]::new);
    this.counts = frequent.stream().mapToLong(Map.Entry::getValue).toArray();
    this.pods = sum;
  }

  /// The number of shapes that count.
  int size() {
    return shapes.length;
  }

  /// Thousandths of GPUs of the node that are fragments.
  double of(PackNode box) {
    long sum = 0;
    for (int i = 0; i < shapes.length; i++) {
      sum += counts[i] * of(box, shapes[i]);
    }
    return (double) sum / pods;
  }

  private static long of(PackNode box, PackPod pod) {
    if (pod.devices() == 0 || !box.fits(pod)) {
      return box.free();
    }
    long lost = 0;
    for (int left : box.milli) {
      lost += left < pod.milli() ? left : 0;
    }
    return lost;
  }
}
