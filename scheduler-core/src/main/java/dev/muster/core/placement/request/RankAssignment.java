package dev.muster.core.placement.request;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.Placement;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Assigns the members of a gang to the nodes of a plan, in rank order along the topology.
///
/// Members with neighbouring ranks thus get neighbouring nodes. If the gang is cut into slices, the
/// slices are assigned in order, and within each of their domains the members.
public final class RankAssignment {
  private final KindCounts kindCounts;
  private final List<Iterator<List<Member>>> slices;
  private final List<Assignment> assignments = new ArrayList<>();

  private RankAssignment(KindCounts kindCounts, Optional<SliceLayout> slicing) {
    this.kindCounts = kindCounts;
    this.slices =
        slicing
            .map(cut -> cut.sorts().stream().map(s -> s.slices().iterator()).toList())
            .orElse(List.of());
  }

  /// Returns the placement of the members, which are given in rank order.
  public static Placement of(PlacementPlan plan, List<Member> members, PlacementRequest query) {
    RankAssignment seats = new RankAssignment(query.kindCounts(), query.slicing());
    for (PlacementPlan.Group group : plan.groups()) {
      seats.assign(group, group.slices() == null ? members : seats.next(group.slices()));
    }
    seats.assignments.sort((a, b) -> Member.BY_RANK.compare(a.member(), b.member()));
    List<PlacementPlan.NodeCount> parts = plan.parts();
    DomainPath common = parts.getFirst().node().path();
    for (PlacementPlan.NodeCount part : parts) {
      common = common.common(part.node().path());
    }
    return new Placement(seats.assignments, common);
  }

  /// Returns the members of the next slices, with a count of slices for each sort.
  private List<Member> next(List<Integer> counts) {
    List<Member> members = new ArrayList<>();
    for (int sort = 0; sort < counts.size(); sort++) {
      for (int i = 0; i < counts.get(sort); i++) {
        members.addAll(slices.get(sort).next());
      }
    }
    members.sort(Member.BY_RANK);
    return members;
  }

  private void assign(PlacementPlan.Group group, List<Member> members) {
    if (members.size() == 1 && group.parts().size() == 1) {
      NodeState node = group.parts().getFirst().node();
      assignments.add(new Assignment(members.getFirst(), node.id()));
      return;
    }
    Map<Request, List<Member>> byKind = new LinkedHashMap<>();
    for (Member member : members) {
      byKind.computeIfAbsent(member.request(), _ -> new ArrayList<>()).add(member);
    }
    for (int kind = 0; kind < kindCounts.kinds().size(); kind++) {
      Iterator<Member> queue =
          byKind.getOrDefault(kindCounts.kinds().get(kind), List.of()).iterator();
      for (PlacementPlan.NodeCount part : group.parts()) {
        for (int i = 0; i < part.taken().get(kind); i++) {
          assignments.add(new Assignment(queue.next(), part.node().id()));
        }
      }
    }
  }
}
