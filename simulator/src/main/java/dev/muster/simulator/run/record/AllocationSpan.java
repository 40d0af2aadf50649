package dev.muster.simulator.run.record;

/// The time that a job spends on a node, for a Gantt chart.
///
/// @param job index of the job among the outcomes
/// @param node index of the node in the fleet
/// @param gpuMilli thousandths of GPUs that it uses there, all its members together
/// @param fromMillis start, in milliseconds since the start of the trace
/// @param toMillis end of the span, or of the run
public record AllocationSpan(int job, int node, long gpuMilli, long fromMillis, long toMillis) {
  /// True if the other span, with the given end, has the job, the node and the times of this one.
  boolean isWith(AllocationSpan other, long end) {
    return job == other.job
        && node == other.node
        && fromMillis == other.fromMillis
        && toMillis == end;
  }
}
