package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.util.Optional;

/// Failed plans are a negative cache: the gangs without any possible planned start in an image.
///
/// Time alone makes no start possible, since each search already treats all pods that will end as
/// gone. So no start is searched again for these gangs before something else has changed.
///
/// @param image the image of the searches; absent when no search has failed
/// @param gangs for each of the gangs whether its nodes were to be drained
public record FailedPlans(Optional<Cluster> image, SortedTable<GangId, Boolean> gangs) {
  /// No search has failed.
  public static final FailedPlans NONE = new FailedPlans(Optional.empty(), SortedTable.empty());

  /// True if a start was searched without result for the gang, with an equal use of draining.
  public boolean isKnown(GangId gang, boolean drains) {
    return gangs.contains(gang, drained -> drained == drains);
  }

  /// Returns these gangs if nothing that a start depends on has changed, else none.
  public FailedPlans asOf(Cluster now) {
    return image.filter(then -> isLike(then, now)).isPresent() ? this : NONE;
  }

  /// Returns these gangs and one for which a search has just failed.
  public FailedPlans with(GangId gang, boolean drains, Cluster now) {
    return new FailedPlans(Optional.of(now), asOf(now).gangs.with(gang, drains));
  }

  /// True if the images agree in everything that a planned start depends on.
  private static boolean isLike(Cluster then, Cluster now) {
    return now.gangs().equals(then.gangs())
        && now.nodes().equals(then.nodes())
        && now.holds().equals(then.holds())
        && now.reservations().equals(then.reservations())
        && now.ledger().accounts().equals(then.ledger().accounts());
  }
}
