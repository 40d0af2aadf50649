package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.time.Instant;
import java.util.Optional;

/// Search pacing says for which gangs victims may be sought again, and which may be victims.
///
/// @param again preemptors for which victims are not sought again before the instant
/// @param barred gangs that are no victims before the instant: a disruption budget protected them
/// @param turn the class that had the last turn of those that take turns in the search
public record VictimSearchPacing(
    SortedTable<GangId, Instant> again,
    SortedTable<GangId, Instant> barred,
    Optional<WaitClass.Key> turn) {
  /// Every gang may be looked at.
  public static final VictimSearchPacing NONE =
      new VictimSearchPacing(SortedTable.empty(), SortedTable.empty(), Optional.empty());

  public VictimSearchPacing lookingAgain(GangId gang, Instant at) {
    return new VictimSearchPacing(again.with(gang, at), barred, turn);
  }

  /// Every preemptor may look at once.
  public VictimSearchPacing anew() {
    return new VictimSearchPacing(SortedTable.empty(), barred, turn);
  }

  public VictimSearchPacing barring(GangId victim, Instant until) {
    return new VictimSearchPacing(again, barred.with(victim, until), turn);
  }

  /// After the class's turn.
  public VictimSearchPacing turnOf(WaitClass.Key key) {
    return new VictimSearchPacing(again, barred, Optional.of(key));
  }

  /// Without the instants that have passed, and without gangs that are gone.
  public VictimSearchPacing at(Instant now, Cluster cluster) {
    return new VictimSearchPacing(kept(again, cluster, now), kept(barred, cluster, now), turn);
  }

  private static SortedTable<GangId, Instant> kept(
      SortedTable<GangId, Instant> table, Cluster cluster, Instant now) {
    SortedTable<GangId, Instant> kept = table;
    for (GangId gang : table.keys()) {
      boolean over = !table.get(gang).orElseThrow().isAfter(now);
      kept = over || !cluster.gangs().contains(gang) ? kept.without(gang) : kept;
    }
    return kept;
  }
}
