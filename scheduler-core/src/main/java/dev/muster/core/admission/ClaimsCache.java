package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A claims cache keeps the guarantee claims of the last few images of a cluster.
///
/// Claims cost time for the demand of every waiting gang. Each attempt of a gang needs them several
/// times, and most attempts see the same use and demand.
///
/// It has no influence on results, so all caches are equal. Several threads may use it: a list that
/// one of them replaces is computed again.
final class ClaimsCache {
  /// The number of images: before and after an event, and with and without the holds of others.
  private static final int KEPT = 4;

  private final Queues queues;
  private List<GuaranteeClaims> latestFirst = List.of();

  ClaimsCache(Queues queues) {
    this.queues = queues;
  }

  /// Returns the claims in the cluster.
  GuaranteeClaims of(Cluster cluster) {
    List<GuaranteeClaims> known = latestFirst;
    for (GuaranteeClaims claims : known) {
      if (claims.holdFor(cluster)) {
        return claims;
      }
    }
    Optional<GuaranteeClaims> last =
        known.isEmpty() ? Optional.empty() : Optional.of(known.getFirst());
    GuaranteeClaims claims = new GuaranteeClaims(queues, cluster, last);
    List<GuaranteeClaims> next = new ArrayList<>(List.of(claims));
    next.addAll(known.subList(0, Math.min(known.size(), KEPT - 1)));
    latestFirst = List.copyOf(next);
    return claims;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ClaimsCache;
  }

  @Override
  public int hashCode() {
    return 0;
  }

  @Override
  public String toString() {
    return "ClaimsCache";
  }
}
