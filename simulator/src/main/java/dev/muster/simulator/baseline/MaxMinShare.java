package dev.muster.simulator.baseline;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Max-min fairness between queues: the queue that uses the fewest GPUs goes next. Its jobs go in
/// order of age. A queue whose first job has no placement is skipped until something changes; no
/// job is preempted. On ties the queue with the first name goes first.
///
/// Source: progressive filling as in Ghodsi, Zaharia, Hindman, Konwinski, Shenker, Stoica: Dominant
/// Resource Fairness, NSDI 2011, with GPUs as the only resource and equal weights.
final class MaxMinShare implements BaselinePolicy {
  @Override
  public String kind(JobState job) {
    return job.spec.queue();
  }

  @Override
  public void pass(BaselineCluster cluster) {
    Map<String, Integer> used = new TreeMap<>();
    cluster.running().forEach(job -> used.merge(job.spec.queue(), job.ask.gpus(), Integer::sum));
    TreeSet<String> blocked = new TreeSet<>();
    while (true) {
      JobState next = poorest(cluster.waiting().heads(), used, blocked);
      if (next == null) {
        return;
      }
      if (cluster.start(next)) {
        used.merge(next.spec.queue(), next.ask.gpus(), Integer::sum);
      } else {
        blocked.add(next.spec.queue());
      }
    }
  }

  private static @Nullable JobState poorest(
      List<JobState> heads, Map<String, Integer> used, Set<String> blocked) {
    JobState poorest = null;
    int least = Integer.MAX_VALUE;
    for (JobState head : heads) {
      int uses = used.getOrDefault(head.spec.queue(), 0);
      if (uses < least && !blocked.contains(head.spec.queue())) {
        poorest = head;
        least = uses;
      }
    }
    return poorest;
  }
}
