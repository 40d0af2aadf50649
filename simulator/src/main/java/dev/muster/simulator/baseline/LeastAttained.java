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
final class LeastAttained implements Baseline {
  private static final Comparator<Work> ORDER =
      Comparator.comparingInt((Work work) -> work.queue)
          .thenComparingLong(work -> work.queued)
          .thenComparing(Work.BY_AGE);

  @Override
  public void pass(Floor floor) {
    List<Work> all = new ArrayList<>(floor.running());
    all.addAll(floor.line().all());
    all.forEach(work -> demote(work, floor)); // of those that wait, who lost a node just now
    all.sort(ORDER);
    floor.rearrange(all);
  }

  private static void demote(Work work, Floor floor) {
    List<Duration> thresholds = floor.semantics().thresholds();
    while (work.queue < thresholds.size()
        && work.served(floor.now()) >= thresholds.get(work.queue).toMillis()) {
      work.queue++;
      work.queued = floor.now();
    }
  }

  @Override
  public long wakeAt(Floor floor) {
    List<Duration> thresholds = floor.semantics().thresholds();
    long next = Long.MAX_VALUE;
    for (Work work : floor.running()) {
      if (work.queue < thresholds.size() && work.ask.gpus() > 0) {
        long lacking = thresholds.get(work.queue).toMillis() - work.served(floor.now());
        next = Math.min(next, floor.now() + Math.ceilDiv(lacking, work.ask.gpus()));
      }
    }
    return next;
  }
}
