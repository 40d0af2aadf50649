package dev.muster.core.placement.request;

import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The nodes of a placement with their members of each kind, in topology order. Members of one
/// slice lie in one group.
public final class PlacementPlan {
  /// One node and the members it takes, counted by kind.
  public record NodeCount(NodeState node, List<Integer> taken) {
    public int members() {
      int members = 0;
      for (int count : taken) {
        members += count;
      }
      return members;
    }
  }

  /// Nodes that lie together.
  ///
  /// @param slices slices of each sort on these nodes; null if the group takes all other members
  record Group(@Nullable List<Integer> slices, List<NodeCount> parts) {}

  private final List<Group> groups = new ArrayList<>();

  /// Begins a group that takes these slices, one count for each sort.
  public void open(List<Integer> slices) {
    groups.add(new Group(slices, new ArrayList<>()));
  }

  /// Adds a node with the members that it takes, one count for each kind.
  public void add(NodeState node, List<Integer> taken) {
    if (groups.isEmpty()) {
      groups.add(new Group(null, new ArrayList<>()));
    }
    groups.getLast().parts().add(new NodeCount(node, taken));
  }

  List<Group> groups() {
    return groups;
  }

  /// Returns the maximum of members on one node.
  public int mostOnNode() {
    return parts().stream().mapToInt(NodeCount::members).max().orElse(0);
  }

  /// Returns the node shares of all groups.
  public List<NodeCount> parts() {
    return groups.size() == 1
        ? groups.getFirst().parts()
        : groups.stream().flatMap(group -> group.parts().stream()).toList();
  }
}
