package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;

/// The order in which gangs are tried: priority, then fair share of the queue, then age.
///
/// It is a total order of gangs, so that equal facts give equal decisions.
///
/// *Goals:* over time queues use GPUs in proportion to their weights, regardless of the number and
/// size of their requests. Every number can be shown.
///
/// *Algorithm:* a queue's share is (GPU-hours used, of which half is forgotten in every half-life,
/// plus one hour for each GPU held now) / weight, in thousandths, rounded down. GPUs that are kept
/// for lost members count as held. The hour for each GPU held counts at once, so that a burst of
/// one queue does not start as a whole before its usage counts. (Decayed usage: Slurm's multifactor
/// priority, Kay & Lauder 1988.)
///
/// *Example:* `a` (weight 1) has used 6 GPU-hours and holds 4 GPUs: (6 + 4) / 1 = 10,000. `b`
/// (weight 2) has used 10 and holds 8: (10 + 8) / 2 = 9,000. The next gang of equal priority is
/// `b`'s. It takes 4 GPUs, so `b` now has 11,000, and the gang after it is `a`'s.
///
/// Unchanged gangs of one queue keep their order. Usage changes only the interleaving of the
/// queues. So a long list of waiting gangs is kept as one list for each queue, sorted by
/// [#standing], and their first gangs are merged by [#share].
///
/// @param queues weights and priority ceilings
public record FairShare(Queues queues) {
  private static final long MILLIS_PER_HOUR = 3_600_000;

  /// Returns the gang's rank within its queue, with a share of 0.
  public Rank standing(Gang gang) {
    return Rank.standing(gang, queues.priority(gang));
  }

  /// Returns the gang's rank among all gangs.
  public Rank rank(Cluster cluster, Gang gang) {
    return standing(gang).at(share(cluster, gang.queue()));
  }

  /// Returns the queue's usage divided by its weight, in thousandths of GPU-hours; less goes first.
  public long share(Cluster cluster, String queue) {
    QueueUsage account = cluster.ledger().account(queue);
    int weight = queues.find(queue).map(Queue::weight).orElse(1);
    long used = account.usage().at(cluster.now()).gpuMillis();
    return (used + account.usage().held() * MILLIS_PER_HOUR) / (MILLIS_PER_HOUR / 1000 * weight);
  }
}
