package dev.muster.simulator.run;

import java.util.OptionalDouble;
import java.util.function.Supplier;

/// Looks on while a run goes: shows how far it is, and may stop it.
@FunctionalInterface
public interface RunObserver {
  /// Lets the run go to its end.
  RunObserver NONE = (_, _) -> true;

  /// A run begins.
  ///
  /// @param fleet what it runs on, as the user called it
  /// @param share what share of the trace was handed out so far, where that is known
  default void begins(String fleet, Supplier<OptionalDouble> share) {}

  /// Called now and then.
  ///
  /// @param submitted how many jobs have been submitted
  /// @param millis the time in the run, in milliseconds since the start of the trace
  /// @return whether the run is to go on
  boolean goesOn(int submitted, long millis);
}
