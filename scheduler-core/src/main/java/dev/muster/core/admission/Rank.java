package dev.muster.core.admission;

import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import java.time.Instant;

/// The position of a gang in the order of trying; the smaller rank is first.
///
/// It is a total order, since no two gangs have one id.
///
/// @param priority priority that counts; greater first
/// @param share usage of the gang's queue divided by its weight, in thousandths of GPU-hours; less
///   first
/// @param eligibleAt time at which the gang had enough members; older first
/// @param gang the gang, which decides between equals
public record Rank(int priority, long share, Instant eligibleAt, GangId gang)
    implements Comparable<Rank> {
  /// Returns the rank of a gang within its queue, with this priority.
  ///
  /// A gang without object comes last of its priority.
  static Rank standing(Gang gang, int priority) {
    Instant age = gang.spec().isPresent() ? gang.eligibleAt() : Instant.MAX;
    return new Rank(priority, 0, age, gang.id());
  }

  /// Returns this rank with another share.
  public Rank at(long otherShare) {
    return new Rank(priority, otherShare, eligibleAt, gang);
  }

  @Override
  public int compareTo(Rank other) {
    int side = Integer.compare(other.priority, priority);
    side = side == 0 ? Long.compare(share, other.share) : side;
    side = side == 0 ? eligibleAt.compareTo(other.eligibleAt) : side;
    return side == 0 ? gang.compareTo(other.gang) : side;
  }
}
