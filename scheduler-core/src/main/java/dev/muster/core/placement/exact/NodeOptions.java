package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.CountVectors;
import dev.muster.core.placement.request.PlacementPlan;
import dev.muster.core.placement.request.SliceLayout;
import java.util.Optional;

/// What nodes of one sort can take, and at what cost.
///
/// @param costs by numbers of members or slices
/// @param members the numbers of members of each kind
/// @param slicing where slices are counted, that lie on one node each; else members are
record NodeOptions(CostProfile costs, CountVectors members, Optional<SliceLayout> slicing) {
  void collect(NodeState node, int state, PlacementPlan plan) {
    slicing.ifPresent(slices -> plan.open(slices.vectors().counts(state)));
    int taken = slicing.map(slices -> slices.members(state)).orElse(state);
    plan.add(node, members.counts(taken));
  }
}
