package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.time.Instant;
import java.util.Optional;

/// Search pacing states for which gangs victims may be searched again, and which may be victims.
///
/// @param again preemptors for which victims are not searched again before the instant
/// @param barred gangs that are no victims before the instant: a disruption budget protected them
/// @param turn last class that was searched among those that rotate
public record VictimSearchPacing(
    SortedTable<GangId, Instant> again,
    SortedTable<GangId, Instant> barred,
    Optional<WaitClass.Key> turn) {
  /// No gang is limited.
  public static final VictimSearchPacing NONE =
      new VictimSearchPacing(SortedTable.empty(), SortedTable.empty(), Optional.empty());

  public VictimSearchPacing lookingAgain(GangId gang, Instant at) {
    return new VictimSearchPacing(again.with(gang, at), barred, turn);
  }

  /// Returns this pacing with every preemptor free to search at once.
  public VictimSearchPacing restarted() {
    return new VictimSearchPacing(SortedTable.empty(), barred, turn);
  }

  public VictimSearchPacing barring(GangId victim, Instant until) {
    return new VictimSearchPacing(again, barred.with(victim, until), turn);
  }

  /// Returns this pacing with the class as the last in the rotation.
  public VictimSearchPacing turnOf(WaitClass.Key key) {
    return new VictimSearchPacing(again, barred, Optional.of(key));
  }

  /// Returns this pacing without past instants and without gangs that are gone.
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
