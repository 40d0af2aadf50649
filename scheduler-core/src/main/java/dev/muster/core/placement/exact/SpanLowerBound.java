package dev.muster.core.placement.exact;

import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.Score;
import java.util.Arrays;
import java.util.List;

/// A lower bound on the span of a placement of all members in a domain.
///
/// The bound is computed from free capacities without examining nodes: the children and nodes with
/// the most free capacity are taken first. Domains with the least bound are searched first. Domains
/// that cannot beat the best candidate are not searched at all (branch and bound, Land and Doig
/// 1960).
///
/// There is no bound if members are already placed, because a domain with a placed member costs
/// nothing.
///
/// Example: 7 members of 2 GPUs, and racks with 10, 7 and 5 free GPUs on nodes of at most 5. The
/// racks hold at most 5, 3 and 2 members, so two racks are needed. A node holds 2, so four nodes
/// are needed.
///
/// @param children least number of domains directly below, or of nodes in an innermost domain
/// @param nodes least number of nodes; 0 if other levels precede it in the score
public record SpanLowerBound(int children, int nodes) implements Comparable<SpanLowerBound> {
  /// The bound without information.
  static final SpanLowerBound NONE = new SpanLowerBound(0, 0);

  public static SpanLowerBound of(
      TopologyDomain domain, PlacementRequest query, ModelFilter models) {
    if (query.placed().areSomewhere()) {
      return NONE;
    }
    int below = query.topology().depth() - domain.path().depth();
    int nodes = below > 1 ? 0 : models.fewestNodes(domain.capacity(), query.demand());
    return below == 0
        ? new SpanLowerBound(nodes, nodes)
        : new SpanLowerBound(
            fewest(capacities(domain.children(), query, models), query.need()), nodes);
  }

  /// Returns the maximum that each child could hold, in the unit of [PlacementRequest#room].
  static long[] capacities(
      Iterable<TopologyDomain> children, PlacementRequest query, ModelFilter models) {
    long[] rooms = new long[16];
    int count = 0;
    for (TopologyDomain child : children) {
      rooms = count == rooms.length ? Arrays.copyOf(rooms, 2 * count) : rooms;
      DomainCapacity capacity = child.capacity();
      rooms[count++] = query.room(capacity, models);
    }
    return Arrays.copyOf(rooms, count);
  }

  /// Returns the least number of children that together hold the need. It is one more than there
  /// are if all together do not.
  static int fewest(long[] rooms, long need) {
    long[] sorted = rooms.clone();
    Arrays.sort(sorted);
    long held = 0;
    int count = 0;
    while (held < need && count < sorted.length) {
      count++;
      held += sorted[sorted.length - count];
    }
    return held < need ? sorted.length + 1 : count;
  }

  /// Returns the least capacity of a child that is one of `count` children holding the need.
  ///
  /// At most 0 means that any child qualifies.
  static long leastOf(long[] rooms, int count, long need) {
    long[] sorted = rooms.clone();
    Arrays.sort(sorted);
    long others = 0;
    for (int i = 1; i < count && i <= sorted.length; i++) {
      others += sorted[sorted.length - i];
    }
    return need - others;
  }

  /// True if every placement in a domain of the depth spans more than this score.
  public boolean isBeyond(Score best, int depth) {
    List<Long> spans = best.spans();
    if (depth >= spans.size()) {
      return false; // near enough: narrower domains do not count first
    }
    long found = spans.get(depth);
    return children > found
        || (children == found && depth + 1 < spans.size() && nodes > spans.get(depth + 1));
  }

  @Override
  public int compareTo(SpanLowerBound other) {
    int side = Integer.compare(children, other.children);
    return side != 0 ? side : Integer.compare(nodes, other.nodes);
  }
}
