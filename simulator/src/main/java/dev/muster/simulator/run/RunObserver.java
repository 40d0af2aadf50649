package dev.muster.simulator.run;

import java.util.OptionalDouble;
import java.util.function.Supplier;

/// Observes a run: shows its progress, and may stop it.
@FunctionalInterface
public interface RunObserver {
  /// An observer that never stops the run.
  RunObserver NONE = (_, _) -> true;

  /// Called when a run begins.
  ///
  /// @param fleet fleet of the run, as the user called it
  /// @param share share of the trace that was submitted so far, if known
  default void begins(String fleet, Supplier<OptionalDouble> share) {}

  /// Called from time to time during the run.
  ///
  /// @param submitted number of submitted jobs
  /// @param millis time in the run, in milliseconds since the start of the trace
  /// @return true to continue the run
  boolean goesOn(int submitted, long millis);
}
