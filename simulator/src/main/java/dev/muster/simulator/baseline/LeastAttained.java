package dev.muster.simulator.baseline;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Least attained service in a few queues (discretized 2D-LAS), with preemption. Run times are
/// unknown to the policy.
///
/// A job starts in the first queue, and moves to the next when its GPU time passes a threshold.
/// Jobs of a higher queue go first; within one queue, jobs that entered it earlier go first. At
/// every event, and when a running job passes a threshold, the nodes are emptied. All jobs are then
/// placed greedily in that order, and jobs without a placement are skipped. No job moves up again.
///
/// Source: Gu, Chowdhury, Shin, Zhu, Jeon, Qian, Liu, Guo: Tiresias, A GPU Cluster Manager for
/// Distributed Deep Learning, NSDI 2019. The thresholds are the operator's; its promotion of
/// starving jobs is left out.
final class LeastAttained implements BaselinePolicy {
  private static final Comparator<JobState> ORDER =
      Comparator.comparingInt((JobState job) -> job.queue)
          .thenComparingLong(job -> job.queued)
          .thenComparing(JobState.BY_AGE);

  @Override
  public void pass(BaselineCluster cluster) {
    List<JobState> all = new ArrayList<>(cluster.running());
    all.addAll(cluster.waiting().all());
    all.forEach(job -> demote(job, cluster)); // waiting jobs matter if they just lost a node
    all.sort(ORDER);
    cluster.rearrange(all);
  }

  private static void demote(JobState job, BaselineCluster cluster) {
    List<Duration> thresholds = cluster.semantics().thresholds();
    while (job.queue < thresholds.size()
        && job.served(cluster.now()) >= thresholds.get(job.queue).toMillis()) {
      job.queue++;
      job.queued = cluster.now();
    }
  }

  @Override
  public long wakeAt(BaselineCluster cluster) {
    List<Duration> thresholds = cluster.semantics().thresholds();
    long next = Long.MAX_VALUE;
    for (JobState job : cluster.running()) {
      if (job.queue < thresholds.size() && job.ask.gpus() > 0) {
        long lacking = thresholds.get(job.queue).toMillis() - job.served(cluster.now());
        next = Math.min(next, cluster.now() + Math.ceilDiv(lacking, job.ask.gpus()));
      }
    }
    return next;
  }
}
