package dev.muster.simulator.run.record;

/// A job on a node, for a Gantt chart.
///
/// @param job the index of the job among the outcomes
/// @param node the index of the node in the fleet
/// @param gpuMilli thousandths of GPUs that it uses there, all its members together
/// @param fromMillis when it came, in milliseconds since the start of the trace
/// @param toMillis when it left, or the run ended
public record AllocationSpan(int job, int node, long gpuMilli, long fromMillis, long toMillis) {
  /// Whether the other, which ends then, is of the same job at the same time on the same node.
  boolean isWith(AllocationSpan other, long end) {
    return job == other.job
        && node == other.node
        && fromMillis == other.fromMillis
        && toMillis == end;
  }
}
