package dev.muster.simulator.run;

import dev.muster.simulator.fleet.Fleet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// The outages of one run, drawn from a seed. Every node has a random stream of its own, so a
/// larger fleet does not change the failures of the nodes it shares with a smaller one.
public final class NodeOutages {
  /// The number of mean repair times to wait for nodes while no other event is due. A limit is
  /// needed, since a job may need more nodes than are ever present at one time.
  private static final int MOST_REPAIRS = 100;

  private final OutageSchedule outages;
  private final List<SplittableRandom> streams = new ArrayList<>();
  private final List<OptionalLong> means = new ArrayList<>();
  private final PriorityQueue<Change> due = new PriorityQueue<>();
  private final int[] reasons;
  private final TreeMap<Integer, Long> expected = new TreeMap<>();
  private long maintained;
  private long idleSince = -1;

  /// The departure or the return of a node. A departure states the expected return.
  private record Change(long at, int node, boolean comes, boolean fails, long back)
      implements Comparable<Change> {
    @Override
    public int compareTo(Change other) {
      int byTime = Long.compare(at, other.at);
      int byNode = byTime == 0 ? Integer.compare(node, other.node) : byTime;
      return byNode == 0 ? Boolean.compare(comes, other.comes) : byNode;
    }
  }

  /// Creates the outages of this fleet; maintenance of nodes outside the fleet is ignored.
  NodeOutages(Fleet fleet, OutageSchedule outages, long seed) {
    this.outages = outages;
    this.reasons = new int[fleet.nodes().size()];
    for (int node = 0; node < reasons.length; node++) {
      streams.add(new SplittableRandom(seed * 1_000_003 + node));
      int each = node;
      int gpus = fleet.nodes().get(node).gpus();
      means.add(outages.meanMillis(gpus));
      means.getLast().ifPresent(mean -> fails(each, 0, mean));
    }
    List<String> names = fleet.nodes().stream().map(node -> node.id().name()).toList();
    for (OutageSchedule.Window window : outages.maintenance()) {
      int node = names.indexOf(window.node());
      if (node < 0) {
        continue;
      }
      long from = window.from().toMillis();
      long to = from + window.length().toMillis();
      due.add(new Change(from, node, false, false, to));
      due.add(new Change(to, node, true, false, to));
      maintained = Math.max(maintained, to);
    }
  }

  private void fails(int node, long now, long mean) {
    long at = now + drawn(node, mean);
    due.add(new Change(at, node, false, true, at + outages.repair().toMillis()));
  }

  private long drawn(int node, long mean) {
    double time = -Math.log(1 - streams.get(node).nextDouble()) * mean;
    return Math.max(1_000, (long) time);
  }

  /// Returns the time of the next departure or return, or [EventQueue#NEVER].
  long nextAt() {
    Change next = due.peek();
    return next == null ? EventQueue.NEVER : next.at();
  }

  /// True if waiting for nodes cannot help. Either all are present, or no other event was due for a
  /// hundred mean repair times and all maintenance is over.
  ///
  /// @param idle true if no other event is due, neither an arrival nor an end
  boolean isVain(boolean idle, long now) {
    idleSince = !idle ? -1 : idleSince < 0 ? now : idleSince;
    long most = MOST_REPAIRS * outages.repair().toMillis();
    return idle && (down() == 0 || now > Math.max(idleSince + most, maintained));
  }

  /// Returns the number of absent nodes.
  int down() {
    return expected.size();
  }

  /// Returns the absent nodes with their expected returns. A node is expected at the end of its
  /// maintenance, or after the mean time of a repair, which may already be over.
  public SortedMap<Integer, Long> expected() {
    return Collections.unmodifiableSortedMap(expected);
  }

  /// Takes the next change, and notifies the scheduler if the node departs or returns by it.
  void take(SimulatedScheduler scheduler) {
    Change change = due.remove();
    if (change.fails()) {
      follow(change);
    }
    if (change.comes()) {
      comes(change.node(), scheduler);
    } else {
      goes(change.node(), change.back(), scheduler);
    }
  }

  /// Counts a reason for absence; a node that is absent for two reasons departs once.
  private void goes(int node, long back, SimulatedScheduler scheduler) {
    expected.merge(node, back, Math::max);
    if (++reasons[node] == 1) {
      scheduler.nodeDown(node);
    }
  }

  private void comes(int node, SimulatedScheduler scheduler) {
    if (--reasons[node] == 0) {
      expected.remove(node);
      scheduler.nodeUp(node);
    }
  }

  private void follow(Change change) {
    if (change.comes()) {
      means.get(change.node()).ifPresent(mean -> fails(change.node(), change.at(), mean));
    } else {
      long repaired = change.at() + drawn(change.node(), outages.repair().toMillis());
      due.add(new Change(repaired, change.node(), true, true, repaired));
    }
  }
}
