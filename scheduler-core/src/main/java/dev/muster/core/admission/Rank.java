package dev.muster.core.admission;

import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import java.time.Instant;

/// Why a gang's turn comes when it comes: the smaller rank first. A total order, for no two gangs
/// have one id.
///
/// @param priority the priority that counts; greater first
/// @param share what the gang's queue has used of its share, in thousandths of GPU-hours; less
///   first
/// @param createdAt since when the gang is there; older first
/// @param gang the last word
public record Rank(int priority, long share, Instant createdAt, GangId gang)
    implements Comparable<Rank> {
  /// The rank within its queue of a gang whose priority counts as this much; one without object
  /// comes last of its priority.
  static Rank standing(Gang gang, int priority) {
    Instant age = gang.spec().map(GangSpec::createdAt).orElse(Instant.MAX);
    return new Rank(priority, 0, age, gang.id());
  }

  /// The same rank at another share.
  public Rank at(long otherShare) {
    return new Rank(priority, otherShare, createdAt, gang);
  }

  @Override
  public int compareTo(Rank other) {
    int side = Integer.compare(other.priority, priority);
    side = side == 0 ? Long.compare(share, other.share) : side;
    side = side == 0 ? createdAt.compareTo(other.createdAt) : side;
    return side == 0 ? gang.compareTo(other.gang) : side;
  }
}
