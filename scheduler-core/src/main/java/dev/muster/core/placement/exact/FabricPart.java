package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.Plan;
import dev.muster.core.placement.request.Slicing;
import java.util.List;

/// A part of the fabric, and at what cost it takes how many members.
sealed interface FabricPart {
  /// What it can take.
  Costs costs();

  /// Writes down which nodes take what, for one of the states.
  void collect(int state, Plan plan);

  /// A node.
  ///
  /// @param fills what nodes like it can take
  record Berth(NodeState node, Fills fills) implements FabricPart {
    @Override
    public Costs costs() {
      return fills.costs();
    }

    @Override
    public void collect(int state, Plan plan) {
      fills.collect(node, state, plan);
    }
  }

  /// A domain: the best way to share members out among what lies in it.
  ///
  /// @param children what lies in it
  /// @param choices for each child, and each state of it and those before it together, what of that
  ///   the child takes
  record Profile(Costs costs, List<FabricPart> children, List<int[]> choices)
      implements FabricPart {
    @Override
    public void collect(int state, Plan plan) {
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
  record Sliced(Costs costs, FabricPart within, Slicing slicing) implements FabricPart {
    @Override
    public void collect(int state, Plan plan) {
      plan.open(slicing.states().counts(state));
      within.collect(slicing.members(state), plan);
    }
  }
}
