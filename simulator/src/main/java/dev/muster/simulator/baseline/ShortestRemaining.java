package dev.muster.simulator.baseline;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Shortest remaining time first (SRTF) or shortest remaining service first (SRSF), with
/// preemption. Remaining service is remaining time times GPUs.
///
/// At every event all jobs are sorted by their remaining time or service, and the nodes are
/// emptied. The jobs are then placed greedily in that order, and jobs without a placement are
/// skipped. On ties the older job goes first.
///
/// Source: SRTF and SRSF as in Zhao, Liu, Liu, Feng, Jin: Multi-Resource Interleaving for Deep
/// Learning Training (Muri), SIGCOMM 2022; SRSF is the oracle of Gu et al. (Tiresias), NSDI 2019.
///
/// @param byService true to multiply by GPUs
record ShortestRemaining(boolean byService) implements BaselinePolicy {
  @Override
  public void pass(BaselineCluster cluster) {
    List<JobState> all = new ArrayList<>(cluster.running());
    all.addAll(cluster.waiting().all());
    long now = cluster.now();
    all.sort(
        Comparator.comparingLong((JobState job) -> left(job, now)).thenComparing(JobState.BY_AGE));
    cluster.rearrange(all);
  }

  private long left(JobState job, long now) {
    return byService ? job.left(now) * job.ask.gpus() : job.left(now);
  }
}
