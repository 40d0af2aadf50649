package dev.muster.core.placement.request;

import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which nodes take how many members of which kind, in the order of the fabric. Members of one
/// slice lie in one group.
public final class PlacementPlan {
  /// What one node takes: members of each kind.
  public record NodeShare(NodeState node, List<Integer> taken) {
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
  /// @param slices how many slices of each sort they take; null where the group takes whatever is
  ///   left
  record Group(@Nullable List<Integer> slices, List<NodeShare> parts) {}

  private final List<Group> groups = new ArrayList<>();

  /// Begins a group that takes so many slices of each sort.
  public void open(List<Integer> slices) {
    groups.add(new Group(slices, new ArrayList<>()));
  }

  /// The node takes so many of each kind.
  public void add(NodeState node, List<Integer> taken) {
    if (groups.isEmpty()) {
      groups.add(new Group(null, new ArrayList<>()));
    }
    groups.getLast().parts().add(new NodeShare(node, taken));
  }

  List<Group> groups() {
    return groups;
  }

  /// The most members on one node.
  public int mostOnNode() {
    return parts().stream().mapToInt(NodeShare::members).max().orElse(0);
  }

  /// All parts of all groups.
  public List<NodeShare> parts() {
    return groups.size() == 1
        ? groups.getFirst().parts()
        : groups.stream().flatMap(group -> group.parts().stream()).toList();
  }
}
