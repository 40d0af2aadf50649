package dev.muster.core.engine;

import dev.muster.core.cluster.Event;
import java.util.List;

/// The scheduler: a pure function of what was true and what happened.
///
/// @param policies its whole configuration
public record Engine(Policies policies) {
  /// One turn.
  public Step step(State before, Event event) {
    return new Step(before.with(before.cluster().apply(event)), List.of(), List.of());
  }
}
