package dev.muster.simulator.baseline;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Least attained service in a few queues (discretized 2D-LAS), with preemption. Run times are
/// unknown to the policy.
///
/// A job starts in the first queue, and moves to the end of the next when its GPU time passes a
/// threshold. Jobs of a higher queue go first. Within a queue running jobs go first, in the order
/// in which they entered it, and then those that wait. So a queue never stops its own jobs. At
/// every event, and when a running job passes a threshold, the nodes are emptied. All jobs are then
/// placed greedily in that order, and jobs without a placement are skipped. No job moves up again.
///
/// Source: Gu, Chowdhury, Shin, Zhu, Jeon, Qian, Liu, Guo: Tiresias, A GPU Cluster Manager for
/// Distributed Deep Learning, NSDI 2019, as the simulators of Tiresias and Muri run it. Its
/// promotion of starving jobs is off there and left out here.
final class LeastAttained implements BaselinePolicy {
  private final List<JobState> line = new ArrayList<>();

  @Override
  public void pass(BaselineCluster cluster) {
    List<JobState> all = new ArrayList<>(cluster.running());
    all.addAll(cluster.waiting().all());
    all.sort(JobState.BY_AGE);
    line.retainAll(new HashSet<>(all));
    Set<JobState> known = new HashSet<>(line);
    all.stream().filter(job -> !known.contains(job)).forEach(line::add);
    all.stream().filter(job -> demote(job, cluster)).forEach(this::last);
    line.sort(Comparator.comparingInt(job -> job.queue));
    cluster.rearrange(line);
    line.sort(Comparator.comparing(job -> job.allocation == null));
  }

  private void last(JobState job) {
    line.remove(job);
    line.add(job);
  }

  /// Moves the job to the queue of its GPU time; true if it was in another. Waiting jobs matter if
  /// they just lost a node.
  private static boolean demote(JobState job, BaselineCluster cluster) {
    List<Duration> thresholds = cluster.semantics().thresholds();
    int before = job.queue;
    while (job.queue < thresholds.size()
        && job.served(cluster.now()) >= thresholds.get(job.queue).toMillis()) {
      job.queue++;
    }
    return job.queue > before;
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
