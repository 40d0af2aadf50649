package dev.muster.core.placement.exact;

import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.Score;
import java.util.Arrays;
import java.util.List;

/// The least that placing all members in a domain can span, read off what is free there without a
/// look at its nodes: the emptiest children, and the emptiest nodes, are taken first. Domains that
/// promise less are worked out first, and those that cannot be better than what was found are not
/// worked out at all (branch and bound, Land and Doig 1960).
///
/// Only where no mate has a place: a domain in which a mate is costs nothing.
///
/// Example: 7 members of 2 GPUs, racks with 10, 7 and 5 GPUs free in nodes of 5 at most. They hold
/// 5, 3 and 2 members at most, so two racks; a node holds 2, so four nodes.
///
/// @param children at least so many domains right below, or nodes of an innermost domain
/// @param nodes at least so many nodes; 0 where other levels come before it
public record SpanLowerBound(int children, int nodes) implements Comparable<SpanLowerBound> {
  /// Nothing is known.
  static final SpanLowerBound NONE = new SpanLowerBound(0, 0);

  public static SpanLowerBound of(TopologyDomain domain, PlacementRequest query, ModelFilter models) {
    if (query.placed().areSomewhere()) {
      return NONE;
    }
    int below = query.topology().depth() - domain.path().depth();
    int nodes = below > 1 ? 0 : models.fewestNodes(domain.capacity(), query.demand());
    return below == 0
        ? new SpanLowerBound(nodes, nodes)
        : new SpanLowerBound(fewest(rooms(domain.children(), query, models), query.need()), nodes);
  }

  /// What each child could hold at most, as [PlacementRequest#room] counts.
  static long[] rooms(Iterable<TopologyDomain> children, PlacementRequest query, ModelFilter models) {
    long[] rooms = new long[16];
    int count = 0;
    for (TopologyDomain child : children) {
      rooms = count == rooms.length ? Arrays.copyOf(rooms, 2 * count) : rooms;
      DomainCapacity capacity = child.capacity();
      rooms[count++] = query.room(capacity, models);
    }
    return Arrays.copyOf(rooms, count);
  }

  /// How many of the rooms it takes at least to hold so much; more than there are if all do not.
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

  /// What a room must hold at least to be one of so few that hold all; at most 0 where any will do.
  static long leastOf(long[] rooms, int count, long need) {
    long[] sorted = rooms.clone();
    Arrays.sort(sorted);
    long others = 0;
    for (int i = 1; i < count && i <= sorted.length; i++) {
      others += sorted[sorted.length - i];
    }
    return need - others;
  }

  /// Whether whatever is found in a domain of the depth spans more than this.
  public boolean isBeyond(Score best, int depth) {
    List<Long> spans = best.spans();
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
