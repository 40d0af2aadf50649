package dev.muster.simulator.baseline;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.simulator.trace.TraceJob;

/// The GPUs that a job requests; these policies consider nothing else. Jobs with equal requests are
/// alike to every placement.
///
/// @param workers number of workers, at least 1
/// @param each GPUs of each worker, 0 or more
/// @param choice acceptable GPU models
public record GpuRequest(int workers, int each, GpuModelPreference choice) {
  /// Returns the request of the job; a fraction of a GPU takes a whole one.
  ///
  /// @param oneGpuWorkers true to treat a job of k GPUs as k workers of one GPU
  static GpuRequest of(TraceJob job, boolean oneGpuWorkers) {
    int each = job.request().gpus() + (job.request().gpuMilli() > 0 ? 1 : 0);
    GpuModelPreference choice = job.constraints().gpus();
    GpuRequest request = new GpuRequest(job.workers(), each, choice);
    return oneGpuWorkers && each > 1 ? new GpuRequest(request.gpus(), 1, choice) : request;
  }

  /// Returns the GPUs of all workers, at most the greatest possible number.
  public int gpus() {
    return (int) Math.min(Integer.MAX_VALUE, (long) workers * each);
  }
}
