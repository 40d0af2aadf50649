package dev.muster.core.admission;

import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import java.time.Instant;
import java.util.Comparator;

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
  private static final Comparator<Rank> AGE =
      Comparator.comparing(Rank::createdAt).thenComparing(Rank::gang);

  private static final Comparator<Rank> PRIORITY =
      Comparator.comparingInt(Rank::priority).reversed();

  /// The order of gangs of one queue, which all have its share: it never changes but with the gangs
  /// themselves.
  public static final Comparator<Rank> WITHIN_QUEUE = PRIORITY.thenComparing(AGE);

  private static final Comparator<Rank> ORDER =
      PRIORITY.thenComparingLong(Rank::share).thenComparing(AGE);

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
    return ORDER.compare(this, other);
  }
}
