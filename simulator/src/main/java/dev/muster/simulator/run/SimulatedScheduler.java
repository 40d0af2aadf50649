package dev.muster.simulator.run;

import dev.muster.simulator.trace.TraceJob;

/// A scheduler under simulation: it is told what happens, and starts and stops jobs.
///
/// The engine of the live server ([EngineScheduler]) and the classic policies implement it; the
/// loop is [Simulation].
public interface SimulatedScheduler {
  /// A job is submitted. A job that can never start on the fleet is rejected at once.
  ///
  /// @param index the job's index in the order of submission, by which the [Recorder] knows it
  void submit(int index, TraceJob job);

  /// A node fails, or is taken out for maintenance.
  void nodeDown(int node);

  /// A node is back.
  void nodeUp(int node);

  /// Whether any job waits or runs.
  boolean hasJobs();

  /// When [#decide] is due, though no event is; [EventQueue#NEVER] if time alone changes nothing.
  ///
  /// @param idle whether no completion, submission or cloud node is to come
  long nextDecisionAt(boolean idle);

  /// Decides because of the time.
  void decide();

  /// Takes in the event that has just happened. A scheduler that decides once per instant does so
  /// in [#decide].
  default void react() {}

  /// The priority of a job that is submitted; jobs of one instant come in its order, higher first.
  default int priority(TraceJob job) {
    return 0;
  }

  /// When cloud nodes are next looked at, join or leave.
  default long nextScalingAt() {
    return EventQueue.NEVER;
  }

  /// Lets cloud nodes join and leave, and asks for others.
  default void scale() {}
}
