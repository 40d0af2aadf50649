package dev.muster.simulator.baseline;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Least attained service in a few queues (discretized 2D-LAS), with preemption: nothing is known
/// of run times.
///
/// A job starts in the first queue, and is moved to the next when the GPU time that it has had
/// passes a threshold. Jobs of a higher queue go first, in one queue those that are in it longer.
/// At every event, and when a running job passes a threshold, the nodes are emptied and all placed
/// greedily in that order, passing over those that have no place. Nobody is moved up again.
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
    all.forEach(job -> demote(job, cluster)); // of those that wait, who lost a node just now
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
