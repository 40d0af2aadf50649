package dev.muster.core.drive;

import dev.muster.core.cluster.Event;
import dev.muster.core.state.Step;

/// A record of events and decisions that is sufficient to replay a run.
@FunctionalInterface
public interface Journal {
  /// Records nothing.
  Journal NONE = (_, _) -> {};

  /// Records one step, before its effects are performed.
  void note(Event event, Step step);
}
