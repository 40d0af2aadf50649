package dev.muster.simulator.baseline;

/// EASY backfilling: first come, first served. Jobs behind the first may start if they do not delay
/// it.
///
/// The first job without a placement is promised the earliest time at which expected ends leave
/// enough capacity for it (the shadow time). A later job starts now if it is expected to end by
/// then. It also starts if it uses no capacity that the first job will need then. The owner states
/// the expected run time; without a statement the true run time counts.
///
/// Source: Lifka: The ANL/IBM SP Scheduling System, JSSPP 1995; Mu'alem, Feitelson: Utilization,
/// Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
/// Backfilling, IEEE TPDS 2001. Counted reservations are theirs; named ones are those of Batsim.
final class EasyBackfill implements BaselinePolicy {
  @Override
  public String kind(JobState job) {
    return "";
  }

  @Override
  public void pass(BaselineCluster cluster) {
    cluster.waiting().pass(cluster::start, true);
    if (cluster.waiting().size() > 1 && cluster.machines().totalFree() > 0) {
      new Backfill(cluster).run();
    }
  }

  /// One pass over the jobs behind the first.
  private static final class Backfill {
    private final BaselineCluster cluster;
    private final FreeGpuProfile profile;
    private final JobState first;
    private final long shadow;
    private final int[] extra;

    Backfill(BaselineCluster cluster) {
      this.cluster = cluster;
      this.profile = FreeGpuProfile.of(cluster);
      this.first = cluster.waiting().heads().getFirst();
      FreeGpuProfile.Slot promised = profile.earliest(first);
      this.shadow = promised.start();
      this.extra = profile.freeAt(shadow);
      change(promised.allocation());
    }

    void run() {
      for (JobState job : cluster.waiting().all()) {
        if (job != first && job.ask.gpus() <= cluster.machines().totalFree()) {
          consider(job);
        }
      }
    }

    private void consider(JobState job) {
      if (cluster.now() + cluster.estimate(job) <= shadow) {
        if (cluster.start(job) && job.expectedEnd(cluster.now()) > shadow) {
          change(profile.seen(cluster.held(job))); // the job is slower on these nodes
        }
        return;
      }
      Allocation spare = profile.place(job.ask, least(profile.freeNow()));
      if (spare != null && cluster.start(job, spare)) {
        change(profile.seen(cluster.held(job)));
      }
    }

    private int[] least(int[] free) {
      for (int i = 0; i < free.length; i++) {
        free[i] = Math.min(free[i], extra[i]);
      }
      return free;
    }

    private void change(Allocation taken) {
      for (int i = 0; i < taken.size(); i++) {
        extra[taken.node(i)] -= taken.gpus(i);
      }
    }
  }
}
