package dev.muster.simulator.run.record;

/// A job that ran was stopped.
///
/// @param job the index of the job among the outcomes
/// @param by the index of the job that it was stopped for; [#NOBODY] or [#NODE] where there is none
/// @param lostGpuMillis GPU-milliseconds of work that are to be done again, or were no work
public record EvictionRecord(int job, int by, long lostGpuMillis) {
  /// No one job in particular: the classic policies rearrange all of them.
  public static final int NOBODY = -1;

  /// A node went.
  public static final int NODE = -2;
}
