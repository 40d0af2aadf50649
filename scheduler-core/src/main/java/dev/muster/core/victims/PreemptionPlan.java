package dev.muster.core.victims;

import dev.muster.core.node.Placement;
import java.util.List;

/// The victims of one preemption, and the placement of the preemptor after they left.
///
/// @param victims gangs or spare members that leave, ordered by gang; at least one
/// @param placement placement of the preemptor without them
/// @param cost cost of stopping them
public record PreemptionPlan(List<VictimCandidate> victims, Placement placement, VictimCost cost) {
  public PreemptionPlan {
    victims = List.copyOf(victims);
  }
}
