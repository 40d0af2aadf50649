package dev.muster.core.drive;

import dev.muster.core.state.Step;

/// A receiver of steps: the live cluster, or a simulated one.
@FunctionalInterface
public interface Outbox {
  /// Takes the state after the step and starts its effects, without waiting for them. Their results
  /// return as events.
  void perform(Step step);
}
