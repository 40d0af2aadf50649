package dev.muster.core.drive;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Step;

/// A record of what happened and what was decided, enough to replay a run.
@FunctionalInterface
public interface Journal {
  /// Keeps nothing.
  Journal NONE = (_, _) -> {};

  /// Notes one turn, before its effects are performed.
  void note(Event event, Step step);
}
