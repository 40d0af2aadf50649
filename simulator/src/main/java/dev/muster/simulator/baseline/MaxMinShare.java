package dev.muster.simulator.baseline;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Max-min fairness between queues: whichever queue uses the fewest GPUs goes next, its jobs in
/// order of age. A queue whose first job has no place is passed over until something changes; no
/// job is preempted. On ties the queue whose name comes first.
///
/// Source: progressive filling as in Ghodsi, Zaharia, Hindman, Konwinski, Shenker, Stoica: Dominant
/// Resource Fairness, NSDI 2011, with GPUs as the only resource and equal weights.
final class MaxMinShare implements Baseline {
  @Override
  public String kind(Work work) {
    return work.job.queue();
  }

  @Override
  public void pass(Floor floor) {
    Map<String, Integer> used = new TreeMap<>();
    floor.running().forEach(work -> used.merge(work.job.queue(), work.ask.gpus(), Integer::sum));
    TreeSet<String> blocked = new TreeSet<>();
    while (true) {
      Work next = poorest(floor.line().heads(), used, blocked);
      if (next == null) {
        return;
      }
      if (floor.start(next)) {
        used.merge(next.job.queue(), next.ask.gpus(), Integer::sum);
      } else {
        blocked.add(next.job.queue());
      }
    }
  }

  private static @Nullable Work poorest(
      List<Work> heads, Map<String, Integer> used, Set<String> blocked) {
    Work poorest = null;
    int least = Integer.MAX_VALUE;
    for (Work head : heads) {
      int uses = used.getOrDefault(head.job.queue(), 0);
      if (uses < least && !blocked.contains(head.job.queue())) {
        poorest = head;
        least = uses;
      }
    }
    return poorest;
  }
}
