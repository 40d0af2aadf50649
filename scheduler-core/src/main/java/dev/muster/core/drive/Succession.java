package dev.muster.core.drive;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;

/// Which engine takes a turn: policies may change while the loop runs, and do so at an event.
@FunctionalInterface
public interface Succession {
  /// The same engine for ever.
  Succession NONE = (engine, _) -> engine;

  /// The engine from this event on.
  Engine next(Engine engine, Event event);
}
