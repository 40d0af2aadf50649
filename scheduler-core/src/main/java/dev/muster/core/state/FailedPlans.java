package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.util.Optional;

/// For whom a start was sought in vain, and in which image: time alone makes none, since all that
/// will leave was taken as gone already. So nobody is sought one anew before something else has
/// changed.
///
/// @param image what was true then; absent when it was sought for nobody
/// @param gangs for each of the gangs whether its place was to be drained
public record FailedPlans(Optional<Cluster> image, SortedTable<GangId, Boolean> gangs) {
  /// Nobody was sought a start in vain.
  public static final FailedPlans NOBODY = new FailedPlans(Optional.empty(), SortedTable.empty());

  /// Whether a start was sought in vain for the gang, in the same manner.
  public boolean isKnown(GangId gang, boolean drains) {
    return gangs.get(gang).filter(drained -> drained == drains).isPresent();
  }

  /// These gangs, if there is no start for them now either.
  public FailedPlans asOf(Cluster now) {
    return image.filter(then -> isLike(then, now)).isPresent() ? this : NOBODY;
  }

  /// With a gang for which a start was just sought.
  public FailedPlans with(GangId gang, boolean drains, Cluster now) {
    return new FailedPlans(Optional.of(now), asOf(now).gangs.with(gang, drains));
  }

  /// Whether all is as it was that a place hangs on.
  private static boolean isLike(Cluster then, Cluster now) {
    return now.gangs().equals(then.gangs())
        && now.nodes().equals(then.nodes())
        && now.holds().equals(then.holds())
        && now.reservations().equals(then.reservations())
        && now.ledger().accounts().equals(then.ledger().accounts());
  }
}
