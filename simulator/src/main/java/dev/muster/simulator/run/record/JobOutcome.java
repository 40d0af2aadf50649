package dev.muster.simulator.run.record;

import dev.muster.core.fit.Veto;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The outcome of one job. Times are milliseconds since the start of the trace.
///
/// @param job the job of the trace
/// @param state its state at the end of the run
/// @param startMillis its first start; -1 if it never started
/// @param endMillis its end; -1 if it did not end
/// @param heldMillis time for which it used its GPUs, all its starts together
/// @param heldGpuMillis GPU-milliseconds that it used: spare members of a gang count while they are
///   present
/// @param preemptions number of times it was stopped for another job, or by the loss of a node
/// @param nodeLosses how many of these were losses of a node
/// @param lostGpuMillis GPU-milliseconds without progress: repeated work, and restarts
/// @param nodes number of nodes of its last run; 0 if it never started
/// @param span number of domains of its last run at each topology level, outermost level first;
///   empty if it never started
/// @param models GPU models of its last run, joined by `+`; empty if unknown or it never started
/// @param why the engine's reason why it was rejected or still waits; empty if unknown, as for
///   waiting jobs under classic policies
public record JobOutcome(
    TraceJob job,
    State state,
    long startMillis,
    long endMillis,
    long heldMillis,
    long heldGpuMillis,
    int preemptions,
    int nodeLosses,
    long lostGpuMillis,
    int nodes,
    List<Integer> span,
    String models,
    Optional<Veto> why) {
  /// The state of a job.
  public enum State {
    /// It ran to its end.
    DONE,
    /// It runs.
    RUNNING,
    /// It waits, for its first start or since it was stopped.
    WAITING,
    /// It can never start on this fleet.
    REJECTED,
    /// It was given up: nodes failed [JobProgress#MOST_FAILURES] times in a row without progress.
    UNFINISHED
  }

  public JobOutcome {
    span = List.copyOf(span);
  }

  /// Returns the time from submission to the first start; empty if it never started.
  public OptionalLong waitMillis() {
    return startMillis < 0
        ? OptionalLong.empty()
        : OptionalLong.of(startMillis - job.submitMillis());
  }

  /// Returns the job completion time, from submission to the end; empty if it is not done.
  public OptionalLong jctMillis() {
    return endMillis < 0 ? OptionalLong.empty() : OptionalLong.of(endMillis - job.submitMillis());
  }

  /// Returns all its waiting time: from submission to its end, without the time with GPUs. Empty if
  /// it is not done.
  public OptionalLong queuedMillis() {
    return endMillis < 0
        ? OptionalLong.empty()
        : OptionalLong.of(endMillis - job.submitMillis() - heldMillis);
  }
}
