package dev.muster.core.drive;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;

/// The choice of the engine for each step. Policies may change while the loop runs, and take effect
/// at an event.
@FunctionalInterface
public interface Succession {
  /// Never changes the engine.
  Succession NONE = (engine, _) -> engine;

  /// Returns the engine from this event on.
  Engine next(Engine engine, Event event);
}
