package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.CountVectors;
import dev.muster.core.placement.request.PlacementPlan;
import dev.muster.core.placement.request.SliceLayout;
import java.util.Optional;

/// The sets of members that nodes of one class can take, with their costs.
///
/// @param costs costs by numbers of members or slices
/// @param members encoding of the numbers of members of each kind
/// @param slicing the slices, if each lies on one node and slices are counted; absent if members
///   are
record NodeOptions(CostProfile costs, CountVectors members, Optional<SliceLayout> slicing) {
  void collect(NodeState node, int state, PlacementPlan plan) {
    slicing.ifPresent(slices -> plan.open(slices.vectors().counts(state)));
    int taken = slicing.map(slices -> slices.members(state)).orElse(state);
    plan.add(node, members.counts(taken));
  }
}
