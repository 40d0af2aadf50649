package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.PlacementPlan;
import dev.muster.core.placement.request.SliceLayout;
import java.util.List;

/// A node or domain with the cost of each number of members that it can take.
sealed interface CostNode {
  /// Returns the states that it can take, with their costs.
  CostProfile costs();

  /// Adds to the plan the nodes and members of one state.
  void collect(int state, PlacementPlan plan);

  /// A single node.
  ///
  /// @param options members that nodes of its class can take
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

  /// A domain with the best distribution of members among its children.
  ///
  /// @param children domains or nodes directly below
  /// @param choices for each child, the state it takes, indexed by the combined state of this child
  ///   and all before it
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

  /// A domain that holds whole slices.
  ///
  /// @param costs costs by numbers of slices
  /// @param within costs of this domain by numbers of members
  /// @param slicing the slices
  record Sliced(CostProfile costs, CostNode within, SliceLayout slicing) implements CostNode {
    @Override
    public void collect(int state, PlacementPlan plan) {
      plan.open(slicing.vectors().counts(state));
      within.collect(slicing.members(state), plan);
    }
  }
}
