package dev.muster.simulator.summary;

import dev.muster.simulator.run.record.JobOutcome;

/// Size classes of jobs by their number of GPUs: none, part of one, 1, 2, 3-4, 5-8 and so on.
public final class SizeClass {
  private SizeClass() {}

  /// Returns the class of a size as a number that orders classes.
  ///
  /// It is 0 for no GPU and 1 for a part of one. For others it is twice the least power of two that
  /// is not below the number of GPUs.
  public static long of(long gpuMilli) {
    long gpus = (gpuMilli + 999) / 1000;
    return gpuMilli < 1000 ? Math.min(1, gpuMilli) : 2 * Long.highestOneBit(2 * gpus - 1);
  }

  /// The name of the class of a job.
  public static String of(JobOutcome job) {
    return name(of(job.job().gpuMilli()));
  }

  /// The name of a class, for example `5-8`.
  public static String name(long size) {
    if (size < 2) {
      return size == 0 ? "no GPU" : "part of 1";
    }
    long most = size / 2;
    return most <= 2 ? String.valueOf(most) : (most / 2 + 1) + "-" + most;
  }
}
