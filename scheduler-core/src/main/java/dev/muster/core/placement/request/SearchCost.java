package dev.muster.core.placement.request;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import java.util.List;

/// The estimated cost of a placement search, in steps.
///
/// *Goals:* one search takes a bounded time, and so does one that is repeated with other members.
/// Most searches cost less, because they rule out most nodes by their free capacity. The estimate
/// assumes nodes of at most 16 GPUs and 128 pods. It leaves out slices, which the search itself
/// limits.
///
/// A step is one sum of two states in an exact search: a node may combine each number of its
/// members with each number of those before it. A greedy search asks each node about each kind,
/// which takes as long as [#ASKED] steps. About 2.5 million steps take a millisecond.
///
/// Any search also compares each node with the conditions of each kind: its node selector, its node
/// affinity, preferred terms included, and its tolerations. The usual few of them are not counted.
///
/// *Example:* 10 workers and 7 launchers have 11 x 8 states. On 5,000 nodes they cost 88 x 88 x
/// 5,000 = 39 million steps. 64 workers of 8 GPUs have 64 states, and a node at most 2 of them.
/// They cost 64 x 2 x 5,000 = 0.6 million. A single pod costs nothing, but with 50 conditions it
/// costs 42 x 200 x 5,000 = 42 million.
public final class SearchCost {
  /// The largest cost of an exact search. As much as a greedy one of 16 kinds on 5,000 nodes.
  private static final long MOST = 160_000_000;

  private static final long ASKED = 2_000;

  /// The steps that a condition takes on a node, also for a second search on the vacant cluster.
  private static final long CONDITION = 200;

  /// The conditions of each kind that are not counted.
  private static final int FEW_CONDITIONS = 8;

  /// The GPUs of a large node, in thousandths.
  private static final int GPU_MILLI = 16_000;

  /// The pods of a large node.
  private static final int PODS = 128;

  /// Members without GPUs cost as many times more, because no domain is left out by its GPUs.
  private static final int UNPRUNED = 8;

  private SearchCost() {}

  /// Returns the cost of a search for these members on so many nodes.
  public static long of(List<Member> members, int nodes) {
    KindCounts kinds = KindCounts.of(members);
    long selection = CONDITION * manyConditions(kinds) * nodes;
    if (members.size() <= 1) {
      return selection;
    }
    return selection
        + (isExact(kinds, nodes) ? exact(kinds, nodes) : ASKED * kinds.kinds().size() * nodes);
  }

  private static int manyConditions(KindCounts kinds) {
    int many = 0;
    for (Request kind : kinds.kinds()) {
      many += Math.max(0, kind.selection().conditions() - FEW_CONDITIONS);
    }
    return many;
  }

  /// True if all numbers of these members are searched, as they are few for so many nodes.
  static boolean isExact(KindCounts members, int nodes) {
    return new CountVectors(members.counts()).areFew() && exact(members, nodes) <= MOST;
  }

  private static long exact(KindCounts members, int nodes) {
    if (members.kinds().size() > 1) {
      return ofStates(new CountVectors(members.counts()), nodes);
    }
    long number = members.total();
    Request each = members.kinds().getFirst();
    long gpuMilli = 1_000L * each.gpus() + each.gpuMilli();
    long onOneNode = Math.clamp(gpuMilli == 0 ? PODS : GPU_MILLI / gpuMilli, 1, PODS);
    return number * Math.min(number, onOneNode) * nodes * (gpuMilli == 0 ? UNPRUNED : 1);
  }

  /// True if all states of several sorts are searched, as they are few for so many nodes.
  static boolean isExact(CountVectors states, int nodes) {
    return states.areFew() && (states.sorts() == 1 || ofStates(states, nodes) <= MOST);
  }

  private static long ofStates(CountVectors states, int nodes) {
    long number = states.all() + 1L;
    return number * number * nodes;
  }

  /// True if a search of this cost takes much longer than most: several milliseconds.
  public static boolean isHigh(long cost) {
    return cost > MOST / 8;
  }

  /// Returns how often a search of this cost may be repeated, at most so many times.
  public static int repeats(long cost, int atMost) {
    return Math.clamp(4 * MOST / Math.max(1, cost), 2, atMost);
  }
}
