package dev.muster.simulator.baseline;

/// Conservative backfilling: every job that waits is promised a start, in order of age, and none
/// may delay one that came before it. At every event the promises are made anew from the first on,
/// so what ends early is used.
///
/// A job that only counted machines would start, but that its placement finds no place for, keeps
/// its promise and waits.
///
/// Source: Mu'alem, Feitelson: Utilization, Predictability, Workloads, and User Runtime Estimates
/// in Scheduling the IBM SP2 with Backfilling, IEEE TPDS 2001. Named, it is Batsim's.
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
