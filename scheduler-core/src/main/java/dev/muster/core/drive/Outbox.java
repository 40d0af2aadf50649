package dev.muster.core.drive;

import dev.muster.core.engine.Step;

/// Where steps go: the live cluster, or a simulated one.
@FunctionalInterface
public interface Outbox {
  /// Takes note of the state after the step and sees to its effects, without waiting for them: what
  /// comes of them returns as events.
  void perform(Step step);
}
