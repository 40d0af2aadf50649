package dev.muster.simulator.run;

import dev.muster.simulator.trace.TraceJob;

/// A scheduler under simulation: it receives events, and starts and stops jobs.
///
/// The engine of the live server ([EngineScheduler]) and the classic policies implement it. The
/// loop is [Simulation].
public interface SimulatedScheduler {
  /// Submits a job. A job that can never start on the fleet is rejected at once.
  ///
  /// @param index index of the job in the order of submission, by which the [Recorder] knows it
  void submit(int index, TraceJob job);

  /// Reports that a node fails, or is taken out for maintenance.
  void nodeDown(int node);

  /// Reports that a node is back.
  void nodeUp(int node);

  /// True if any job waits or runs.
  boolean hasJobs();

  /// Returns the time at which [#decide] is due without an event, or [EventQueue#NEVER] if time
  /// alone changes nothing.
  ///
  /// @param idle true if no completion, submission or cloud node is due
  long nextDecisionAt(boolean idle);

  /// Decides because time has passed.
  void decide();

  /// Handles the event that has just happened. A scheduler that decides once per instant does so in
  /// [#decide].
  default void react() {}

  /// Returns the priority of a submitted job. Jobs of one instant are ordered by it, higher first.
  default int priority(TraceJob job) {
    return 0;
  }

  /// Returns the time at which cloud nodes are next examined, join or leave.
  default long nextScalingAt() {
    return EventQueue.NEVER;
  }

  /// Lets cloud nodes join and leave, and requests others.
  default void scale() {}
}
