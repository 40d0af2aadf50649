package dev.muster.core.placement.exact;

import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.Plan;
import dev.muster.core.placement.request.Slicing;
import dev.muster.core.placement.request.States;
import java.util.Optional;

/// What nodes of one sort can take, and at what cost.
///
/// @param costs by numbers of members or slices
/// @param members the numbers of members of each kind
/// @param slicing where slices are counted, that lie on one node each; else members are
record Fills(Costs costs, States members, Optional<Slicing> slicing) {
  void collect(NodeState node, int state, Plan plan) {
    slicing.ifPresent(slices -> plan.open(slices.states().counts(state)));
    int taken = slicing.map(slices -> slices.members(state)).orElse(state);
    plan.add(node, members.counts(taken));
  }
}
