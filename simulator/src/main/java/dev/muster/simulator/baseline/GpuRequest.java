package dev.muster.simulator.baseline;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.simulator.trace.TraceJob;

/// What a job asks for, as far as these policies look: GPUs. Jobs with equal asks are alike to
/// every placement.
///
/// @param workers how many workers it has, at least 1
/// @param each GPUs of each worker, 0 or more
/// @param choice which models will do
public record GpuRequest(int workers, int each, GpuModelPreference choice) {
  /// What the job asks for; a part of a GPU takes a whole one.
  ///
  /// @param oneGpuWorkers whether a job of k GPUs counts as k workers of one GPU
  static GpuRequest of(TraceJob job, boolean oneGpuWorkers) {
    int each = job.request().gpus() + (job.request().gpuMilli() > 0 ? 1 : 0);
    GpuModelPreference choice = job.constraints().gpus();
    GpuRequest request = new GpuRequest(job.workers(), each, choice);
    return oneGpuWorkers && each > 1 ? new GpuRequest(request.gpus(), 1, choice) : request;
  }

  /// GPUs of all workers; of more than there can be, the most that there can be.
  public int gpus() {
    return (int) Math.min(Integer.MAX_VALUE, (long) workers * each);
  }
}
