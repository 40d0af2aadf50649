package dev.muster.core.state;

import dev.muster.core.decision.Decision;
import java.util.List;

/// A step is the engine's result for one event.
///
/// @param after the state after the event
/// @param decisions the decisions, in order
/// @param effects the writes that the engine requests, in order
public record Step(State after, List<Decision> decisions, List<Effect> effects) {
  public Step {
    decisions = List.copyOf(decisions);
    effects = List.copyOf(effects);
  }
}
