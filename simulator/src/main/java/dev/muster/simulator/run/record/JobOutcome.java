package dev.muster.simulator.run.record;

import dev.muster.core.fit.Veto;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// What became of one job. Times are milliseconds since the start of the trace.
///
/// @param job the job as the trace has it
/// @param state where it stood when the run ended
/// @param startMillis when it first started; -1 if it never did
/// @param endMillis when it was done; -1 if it was not
/// @param heldMillis how long it held its GPUs, all its starts together
/// @param heldGpuMillis GPU-milliseconds that it held: spare members of a gang count while they are
///   there
/// @param preemptions how often it was stopped to make room, or by the loss of a node
/// @param lostGpuMillis GPU-milliseconds that it held without getting on: work done again, and
///   restarts
/// @param nodes how many nodes it last ran on; 0 if it never started
/// @param span how many domains of each level of the fabric it last ran in, outermost level first;
///   empty if it never started
/// @param why in the words of the engine, why it was rejected or still waits; empty where nobody
///   says, as classic policies do not of those that wait
public record JobOutcome(
    TraceJob job,
    State state,
    long startMillis,
    long endMillis,
    long heldMillis,
    long heldGpuMillis,
    int preemptions,
    long lostGpuMillis,
    int nodes,
    List<Integer> span,
    Optional<Veto> why) {
  /// Where a job stands.
  public enum State {
    /// It ran to its end.
    DONE,
    /// It runs.
    RUNNING,
    /// It waits, for its first start or since it was stopped.
    WAITING,
    /// It can never start on this fleet.
    REJECTED,
    /// It was given up: nodes failed [JobProgress#MOST_FAILURES] times in a row before it got on.
    UNFINISHED
  }

  public JobOutcome {
    span = List.copyOf(span);
  }

  /// From submission to the first start; empty if it never started.
  public OptionalLong waitMillis() {
    return startMillis < 0
        ? OptionalLong.empty()
        : OptionalLong.of(startMillis - job.submitMillis());
  }

  /// The job completion time, from submission to the end; empty if it is not done.
  public OptionalLong jctMillis() {
    return endMillis < 0 ? OptionalLong.empty() : OptionalLong.of(endMillis - job.submitMillis());
  }

  /// All the time that it waited: from submission to its end without the time that it held GPUs;
  /// empty if it is not done.
  public OptionalLong queuedMillis() {
    return endMillis < 0
        ? OptionalLong.empty()
        : OptionalLong.of(endMillis - job.submitMillis() - heldMillis);
  }
}
