package dev.muster.simulator.baseline;

/// Conservative backfilling: every waiting job is promised a start, in order of age. No promise may
/// delay a job that came before. At every event all promises are computed again from the first job,
/// so that early ends are used.
///
/// With counted reservations a job may be due while its placement finds no nodes. It keeps its
/// promise and waits.
///
/// Source: Mu'alem, Feitelson: Utilization, Predictability, Workloads, and User Runtime Estimates
/// in Scheduling the IBM SP2 with Backfilling, IEEE TPDS 2001. Named reservations are those of
/// Batsim.
final class ConservativeBackfill implements BaselinePolicy {
  @Override
  public String kind(JobState job) {
    return "";
  }

  @Override
  public void pass(BaselineCluster cluster) {
    if (cluster.waiting().size() == 0 || cluster.machines().totalFree() == 0) {
      return;
    }
    FreeGpuProfile profile = FreeGpuProfile.of(cluster);
    for (JobState job : cluster.waiting().all()) {
      FreeGpuProfile.Slot slot = profile.earliest(job);
      if (slot.start() == cluster.now() && cluster.start(job, slot.allocation())) {
        Allocation held = profile.seen(cluster.held(job));
        profile.reserve(held, slot.start(), job.expectedEnd(cluster.now()));
      } else {
        profile.reserve(slot.allocation(), slot.start(), slot.end());
      }
    }
  }
}
