package dev.muster.core.state;

import dev.muster.core.decision.Decision;
import java.util.List;

/// What an event comes to: the state after it, what was decided, and what is asked of the world.
///
/// @param after the state after the event
/// @param decisions what was decided, in order
/// @param effects what we ask of the world, in order
public record Step(State after, List<Decision> decisions, List<Effect> effects) {
  public Step {
    decisions = List.copyOf(decisions);
    effects = List.copyOf(effects);
  }
}
