package dev.muster.simulator.run.record;

import dev.muster.simulator.fleet.Fleet;
import java.util.List;

/// The current state of the fleet and the queue, updated by each change.
final class Gauges {
  private static final int TOTAL = 0;
  private static final int USED = 1;
  private static final int STRANDED = 2;
  private static final int FRAGMENTED = 3;
  private static final int RUNNING = 4;
  private static final int WAITING = 5;
  private static final int WANTED = 6;

  private final TimeSeries course = new TimeSeries(7);
  private final long[] capacity;
  private final long[] used;
  private final boolean[] there;
  private long totalMilli;
  private long usedMilli;
  private long fragmentedMilli;
  private int waiting;

  Gauges(Fleet fleet) {
    int nodes = fleet.nodes().size();
    this.capacity = new long[nodes];
    this.used = new long[nodes];
    this.there = new boolean[nodes];
    for (int i = 0; i < nodes; i++) {
      capacity[i] = 1000L * fleet.nodes().get(i).gpus();
    }
  }

  void advance(long now) {
    if (now > course.now()) {
      course.set(TOTAL, totalMilli / 1000.0);
      course.set(USED, usedMilli / 1000.0);
      course.set(STRANDED, waiting > 0 ? (totalMilli - usedMilli) / 1000.0 : 0);
      course.set(FRAGMENTED, fragmentedMilli / 1000.0);
      course.set(WAITING, waiting);
      course.advance(now);
    }
  }

  void node(int node, boolean present) {
    if (there[node] != present) {
      fragmentedMilli -= fragment(node);
      there[node] = present;
      totalMilli += present ? capacity[node] : -capacity[node];
      fragmentedMilli += fragment(node);
    }
  }

  void take(int node, long gpuMilli) {
    fragmentedMilli -= fragment(node);
    used[node] += gpuMilli;
    usedMilli += gpuMilli;
    fragmentedMilli += fragment(node);
  }

  private long fragment(int node) {
    return there[node] && used[node] > 0 ? Math.max(0, capacity[node] - used[node]) : 0;
  }

  void waits(int gangs, long gpuMilli) {
    waiting += gangs;
    course.add(WANTED, gpuMilli / 1000.0);
  }

  void runs(int gangs) {
    course.add(RUNNING, gangs);
  }

  List<Sample> samples() {
    return course.samples();
  }
}
