package dev.muster.simulator.run;

import dev.muster.simulator.fleet.Fleet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// The outages of one run, drawn from a seed: every node has a stream of its own, so a larger fleet
/// does not change the failures of the nodes that were there.
public final class NodeOutages {
  /// For so many mean repairs nodes are waited for while nothing else is to come: a job may need
  /// more of them than are ever there at one time.
  private static final int MOST_REPAIRS = 100;

  private final OutageSchedule outages;
  private final List<SplittableRandom> streams = new ArrayList<>();
  private final PriorityQueue<Change> due = new PriorityQueue<>();
  private final int[] reasons;
  private final TreeMap<Integer, Long> expected = new TreeMap<>();
  private long maintained;
  private long idleSince = -1;

  /// A node goes or comes back. Of one that goes is known when it is expected back.
  private record Change(long at, int node, boolean comes, boolean fails, long back)
      implements Comparable<Change> {
    @Override
    public int compareTo(Change other) {
      int byTime = Long.compare(at, other.at);
      int byNode = byTime == 0 ? Integer.compare(node, other.node) : byTime;
      return byNode == 0 ? Boolean.compare(comes, other.comes) : byNode;
    }
  }

  /// The outages of this fleet; the maintenance of nodes that it has not is passed over.
  NodeOutages(Fleet fleet, OutageSchedule outages, long seed) {
    this.outages = outages;
    this.reasons = new int[fleet.nodes().size()];
    for (int node = 0; node < reasons.length; node++) {
      streams.add(new SplittableRandom(seed * 1_000_003 + node));
      int each = node;
      outages.mtbf().ifPresent(time -> fails(each, 0, time.toMillis()));
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

  /// When the next node goes or comes back; [EventQueue#NEVER] if none does.
  long nextAt() {
    Change next = due.peek();
    return next == null ? EventQueue.NEVER : next.at();
  }

  /// Whether waiting for nodes is in vain: all are there, or nothing else has been to come for a
  /// hundred mean repairs, and all maintenance is over.
  ///
  /// @param idle whether nothing else is to come, no arrival and no end
  boolean isVain(boolean idle, long now) {
    idleSince = !idle ? -1 : idleSince < 0 ? now : idleSince;
    long most = MOST_REPAIRS * outages.repair().toMillis();
    return idle && (down() == 0 || now > Math.max(idleSince + most, maintained));
  }

  /// How many nodes are not there.
  int down() {
    return expected.size();
  }

  /// The nodes that are not there, and when each is expected back: at the end of its maintenance,
  /// or after the mean time of a repair, which may be over.
  public SortedMap<Integer, Long> expected() {
    return Collections.unmodifiableSortedMap(expected);
  }

  /// Takes the next change, and tells the scheduler if the node goes or comes back by it.
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

  /// A node that is away for two reasons goes once.
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
      outages.mtbf().ifPresent(time -> fails(change.node(), change.at(), time.toMillis()));
    } else {
      long repaired = change.at() + drawn(change.node(), outages.repair().toMillis());
      due.add(new Change(repaired, change.node(), true, true, repaired));
    }
  }
}
