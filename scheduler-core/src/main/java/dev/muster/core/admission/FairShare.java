package dev.muster.core.admission;

import dev.muster.core.cluster.Account;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;

/// Priority, then the queue that has used less of its share, then age.
///
/// Goals: over time queues use GPUs in proportion to their weights, whoever asks more often or in
/// bigger pieces; every number can be shown.
///
/// Algorithm: a queue's share is (GPU-hours used, of which half is forgotten in every half-life,
/// plus one hour for each GPU held now) / weight, in thousandths, rounded down. The hour for each
/// GPU held counts at once, so that a burst of one queue does not run through before its usage
/// counts. (Decayed usage: Slurm's multifactor priority, Kay & Lauder 1988.)
///
/// Example: `a` (weight 1) has used 6 GPU-hours and holds 4 GPUs: (6 + 4) / 1 = 10,000. `b` (weight
/// 2) has used 10 and holds 8: (10 + 8) / 2 = 9,000. The next gang of equal priority is `b`'s. It
/// takes 4 GPUs, now `b` has 11,000, and the one after it is `a`'s.
///
/// @param queues the weights and the priority ceilings
public record FairShare(Queues queues) implements GangOrder {
  private static final long MILLIS_PER_HOUR = 3_600_000;

  @Override
  public Rank standing(Gang gang) {
    return Rank.standing(gang, queues.priority(gang));
  }

  @Override
  public long share(Cluster cluster, String queue) {
    Account account = cluster.books().account(queue);
    int weight = queues.find(queue).map(Queue::weight).orElse(1);
    long used = account.usage().at(cluster.now()).gpuMillis();
    return (used + account.inUse() * MILLIS_PER_HOUR) / (MILLIS_PER_HOUR / 1000 * weight);
  }
}
