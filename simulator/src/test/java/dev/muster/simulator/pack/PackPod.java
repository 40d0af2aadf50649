package dev.muster.simulator.pack;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Resources;
import dev.muster.simulator.trace.TraceJob;

/// The request of one pod. Pods with equal requests are equal.
///
/// @param cpuMilli thousandths of a core
/// @param memory bytes
/// @param devices how many GPUs it needs something of
/// @param milli thousandths that it needs of each of them, 1 to 1000; 0 without GPUs
/// @param choice which models will do
record PackPod(long cpuMilli, long memory, int devices, int milli, GpuModelPreference choice) {
  /// Returns the request of each member of the job.
  static PackPod of(TraceJob job) {
    Resources resources = job.request().resources();
    int part = job.request().gpuMilli();
    return new PackPod(
        resources.get(Resources.CPU),
        resources.get(Resources.MEMORY),
        part > 0 ? 1 : job.request().gpus(),
        part > 0 ? part : job.request().gpus() > 0 ? 1000 : 0,
        job.constraints().gpus());
  }

  /// Thousandths of GPUs in all.
  long gpuMilli() {
    return (long) devices * milli;
  }

  /// The number of whole GPUs, or 0 for a part of one or none.
  int kind() {
    return milli == 1000 ? devices : 0;
  }

  /// Returns the request without memory, which published formulas do not look at.
  PackPod withoutMemory() {
    return new PackPod(cpuMilli, 0, devices, milli, choice);
  }
}
