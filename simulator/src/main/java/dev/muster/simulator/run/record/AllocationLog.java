package dev.muster.simulator.run.record;

import java.util.ArrayList;
import java.util.List;

/// The ended allocation spans of a run: a bounded list of them, and the use of each node by all.
final class AllocationLog {
  private final int most;
  private final List<AllocationSpan> spans = new ArrayList<>();
  private final Occupancy occupancy;
  private long dropped;

  /// @param most maximum number of spans that are kept
  AllocationLog(int nodes, int most) {
    this.most = most;
    this.occupancy = new Occupancy(nodes);
  }

  /// Adds a span that ends now. Members that came to a node and left it together make one span.
  void add(AllocationSpan span, long now) {
    occupancy.add(span.node(), span.gpuMilli(), span.fromMillis(), now);
    boolean joins = !spans.isEmpty() && spans.getLast().isWith(span, now);
    long before = joins ? spans.removeLast().gpuMilli() : 0;
    if (spans.size() < most) {
      spans.add(
          new AllocationSpan(
              span.job(), span.node(), before + span.gpuMilli(), span.fromMillis(), now));
    } else {
      dropped++;
    }
  }

  List<AllocationSpan> stays() {
    return spans;
  }

  /// Returns the number of spans that were not kept.
  long dropped() {
    return dropped;
  }

  Occupancy occupancy() {
    return occupancy;
  }
}
