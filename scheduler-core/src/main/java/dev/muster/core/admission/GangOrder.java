package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;

/// Whose turn comes first: a total order of gangs, so that equal facts give equal decisions.
///
/// Gangs of one queue keep their order among each other as long as they do not change; only how the
/// queues interleave moves, with what they use. So whoever keeps a long line keeps one line for
/// each queue, sorted by [#standing], and merges their heads by [#share].
public interface GangOrder {
  /// Higher priority first, then the older, then by name.
  GangOrder PRIORITY_THEN_AGE =
      new GangOrder() {
        @Override
        public Rank standing(Gang gang) {
          return Rank.standing(gang, gang.priority());
        }

        @Override
        public long share(Cluster cluster, String queue) {
          return 0;
        }
      };

  /// The gang's rank among those of its queue: its share is 0.
  Rank standing(Gang gang);

  /// What the queue has used of its share; less goes first.
  long share(Cluster cluster, String queue);

  /// The gang's rank among all.
  default Rank rank(Cluster cluster, Gang gang) {
    return standing(gang).at(share(cluster, gang.queue()));
  }
}
