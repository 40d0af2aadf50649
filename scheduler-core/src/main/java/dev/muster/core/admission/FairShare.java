package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;

/// Whose turn comes first: priority, then the queue that has used less of its share, then age; a
/// total order of gangs, so that equal facts give equal decisions.
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
/// Gangs of one queue keep their order among each other as long as they do not change; only how the
/// queues interleave moves, with what they use. So whoever keeps a long line keeps one line for
/// each queue, sorted by [#standing], and merges their heads by [#share].
///
/// @param queues the weights and the priority ceilings
public record FairShare(Queues queues) {
  private static final long MILLIS_PER_HOUR = 3_600_000;

  /// The gang's rank among those of its queue: its share is 0.
  public Rank standing(Gang gang) {
    return Rank.standing(gang, queues.priority(gang));
  }

  /// The gang's rank among all.
  public Rank rank(Cluster cluster, Gang gang) {
    return standing(gang).at(share(cluster, gang.queue()));
  }

  /// What the queue has used of its share, in thousandths of GPU-hours; less goes first.
  public long share(Cluster cluster, String queue) {
    QueueUsage account = cluster.ledger().account(queue);
    int weight = queues.find(queue).map(Queue::weight).orElse(1);
    long used = account.usage().at(cluster.now()).gpuMillis();
    return (used + account.inUse() * MILLIS_PER_HOUR) / (MILLIS_PER_HOUR / 1000 * weight);
  }
}
