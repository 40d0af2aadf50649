package dev.muster.core.victims;

import dev.muster.core.node.Placement;
import java.util.List;

/// Who is to leave, and where the gang starts then.
///
/// @param victims who leaves, in order of name; at least one
/// @param placement where the gang fits without them
/// @param price what that costs
public record PreemptionPlan(List<VictimCandidate> victims, Placement placement, VictimCost cost) {
  public PreemptionPlan {
    victims = List.copyOf(victims);
  }
}
