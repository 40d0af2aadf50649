package dev.muster.core.placement.request;

import dev.muster.core.gang.Member;
import java.util.List;

/// The estimated cost of a placement search for members of several kinds, in steps.
///
/// *Goals:* one search takes a bounded time, and so does one that is repeated with other members.
/// The estimate is an upper bound: most searches rule out most nodes by their free capacity.
///
/// A step is one sum of two states in an exact search: a node may combine each number of its
/// members with each number of those before it. A greedy search asks each node about each kind,
/// which takes as long as [#ASKED] steps. Members of one kind cost nothing here, because sums of
/// free capacity decide about them. About 2.5 million steps take a millisecond.
///
/// *Example:* 10 workers and 7 launchers have 11 x 8 states. On 5,000 nodes they cost 88 x 88 x
/// 5,000 = 39 million steps.
public final class SearchCost {
  /// The largest cost of an exact search. As much as a greedy one of 16 kinds on 5,000 nodes.
  private static final long MOST = 160_000_000;

  private static final long ASKED = 2_000;

  private SearchCost() {}

  /// Returns the cost of a search for these members on so many nodes.
  public static long of(List<Member> members, int nodes) {
    if (members.size() <= 1) {
      return 0;
    }
    KindCounts kinds = KindCounts.of(members);
    CountVectors states = new CountVectors(kinds.counts());
    return isExact(states, nodes) ? exact(states, nodes) : ASKED * kinds.kinds().size() * nodes;
  }

  /// True if all states are searched, as their number is small enough for so many nodes.
  static boolean isExact(CountVectors states, int nodes) {
    return states.areFew() && exact(states, nodes) <= MOST;
  }

  private static long exact(CountVectors states, int nodes) {
    long number = states.sorts() == 1 ? 0 : states.all() + 1L;
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
