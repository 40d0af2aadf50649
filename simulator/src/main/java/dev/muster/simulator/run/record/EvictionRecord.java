package dev.muster.simulator.run.record;

/// The eviction of a running job.
///
/// @param job index of the job among the outcomes
/// @param by index of the job that it was stopped for; [#NOBODY] or [#NODE] if there is none
/// @param lostGpuMillis GPU-milliseconds of work to be repeated, or without progress
public record EvictionRecord(int job, int by, long lostGpuMillis) {
  /// No single job is the cause: the classic policies rearrange all of them.
  public static final int NOBODY = -1;

  /// A node failed or left.
  public static final int NODE = -2;
}
