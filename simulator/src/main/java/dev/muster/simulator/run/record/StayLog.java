package dev.muster.simulator.run.record;

import java.util.ArrayList;
import java.util.List;

/// The stays of a run that have ended: a bounded list of them, and the use of each node by all.
final class StayLog {
  private final int most;
  private final List<Stay> stays = new ArrayList<>();
  private final Occupancy occupancy;
  private long dropped;

  /// @param most how many stays are kept
  StayLog(int nodes, int most) {
    this.most = most;
    this.occupancy = new Occupancy(nodes);
  }

  /// Adds a stay that ends now. Members that came to a node and left it together make one stay.
  void add(Stay stay, long now) {
    occupancy.add(stay.node(), stay.gpuMilli(), stay.fromMillis(), now);
    boolean joins = !stays.isEmpty() && stays.getLast().isWith(stay, now);
    long before = joins ? stays.removeLast().gpuMilli() : 0;
    if (stays.size() < most) {
      stays.add(
          new Stay(stay.job(), stay.node(), before + stay.gpuMilli(), stay.fromMillis(), now));
    } else {
      dropped++;
    }
  }

  List<Stay> stays() {
    return stays;
  }

  /// How many stays were not kept.
  long dropped() {
    return dropped;
  }

  Occupancy occupancy() {
    return occupancy;
  }
}
