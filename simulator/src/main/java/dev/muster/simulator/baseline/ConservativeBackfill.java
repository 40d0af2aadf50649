package dev.muster.simulator.baseline;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Conservative backfilling: every waiting job is promised a start, and no job delays the promise
/// of another.
///
/// Promises are kept from event to event. At an event each job in order of age gives up its own
/// promise and takes the earliest start that all other promises leave; it is never later than its
/// promise. So early ends are used without a promise becoming worse. A promise ends early only if
/// it can no longer be kept, since a job runs longer than expected or a node is lost. While no GPU
/// is free, only jobs without a promise are planned.
///
/// With counted reservations a job may be due while its placement finds no nodes. It keeps its
/// promise and waits.
///
/// Source: Mu'alem, Feitelson: Utilization, Predictability, Workloads, and User Runtime Estimates
/// in Scheduling the IBM SP2 with Backfilling, IEEE TPDS 2001 (compression of the schedule). Named
/// reservations are those of Batsim.
final class ConservativeBackfill implements BaselinePolicy {
  /// The promises of waiting jobs.
  private final Map<JobState, FreeGpuProfile.Slot> promises = new HashMap<>();

  @Override
  public String kind(JobState job) {
    return "";
  }

  @Override
  public void pass(BaselineCluster cluster) {
    List<JobState> waiting = cluster.waiting().all();
    boolean full = cluster.machines().totalFree() == 0;
    if (full && promises.size() == waiting.size()) {
      return;
    }
    FreeGpuProfile profile = FreeGpuProfile.of(cluster);
    for (JobState job : waiting) {
      keep(job, profile, cluster);
    }
    for (JobState job : waiting) {
      if (!full || !promises.containsKey(job)) {
        plan(job, profile, cluster);
      }
    }
  }

  /// Enters the promise of the job in the profile, and drops it if it cannot be kept.
  private void keep(JobState job, FreeGpuProfile profile, BaselineCluster cluster) {
    FreeGpuProfile.@Nullable Slot promise = promises.get(job);
    if (promise == null) {
      return;
    }
    FreeGpuProfile.Slot due = promise.noEarlierThan(cluster.now());
    if (profile.canReserve(due)) {
      profile.reserve(due);
      promises.put(job, due);
    } else {
      promises.remove(job);
    }
  }

  private void plan(JobState job, FreeGpuProfile profile, BaselineCluster cluster) {
    FreeGpuProfile.@Nullable Slot promise = promises.remove(job);
    if (promise != null) {
      profile.release(promise);
    }
    FreeGpuProfile.Slot slot = profile.earliest(job);
    if (slot.start() == cluster.now() && cluster.start(job, slot.allocation())) {
      Allocation held = profile.seen(cluster.held(job));
      profile.reserve(new FreeGpuProfile.Slot(cluster.now(), job.expectedEnd(cluster.now()), held));
    } else {
      profile.reserve(slot);
      promises.put(job, slot);
    }
  }
}
