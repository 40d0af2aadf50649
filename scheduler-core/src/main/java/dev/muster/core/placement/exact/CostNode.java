package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.PlacementPlan;
import dev.muster.core.placement.request.SliceLayout;
import java.util.List;

/// A part of the fabric, and at what cost it takes how many members.
sealed interface CostNode {
  /// What it can take.
  CostProfile costs();

  /// Writes down which nodes take what, for one of the states.
  void collect(int state, PlacementPlan plan);

  /// A node.
  ///
  /// @param fills what nodes like it can take
  record Berth(NodeState node, NodeOptions options) implements CostNode {
    @Override
    public CostProfile costs() {
      return options.costs();
    }

    @Override
    public void collect(int state, PlacementPlan plan) {
      options.collect(node, state, plan);
    }
  }

  /// A domain: the best way to share members out among what lies in it.
  ///
  /// @param children what lies in it
  /// @param choices for each child, and each state of it and those before it together, what of that
  ///   the child takes
  record PartProfile(CostProfile costs, List<CostNode> children, List<int[]> choices)
      implements CostNode {
    @Override
    public void collect(int state, PlacementPlan plan) {
      int[] parts = new int[children.size()];
      int left = state;
      for (int child = parts.length - 1; child >= 0; child--) {
        parts[child] = choices.get(child)[left];
        left -= parts[child];
      }
      for (int child = 0; child < parts.length; child++) {
        if (parts[child] > 0) {
          children.get(child).collect(parts[child], plan);
        }
      }
    }
  }

  /// A domain in which whole slices lie.
  ///
  /// @param costs by numbers of slices
  /// @param within the same domain by numbers of members
  /// @param slicing what the slices are
  record Sliced(CostProfile costs, CostNode within, SliceLayout slicing) implements CostNode {
    @Override
    public void collect(int state, PlacementPlan plan) {
      plan.open(slicing.vectors().counts(state));
      within.collect(slicing.members(state), plan);
    }
  }
}
