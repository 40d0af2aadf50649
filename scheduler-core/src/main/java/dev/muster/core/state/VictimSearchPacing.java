package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import java.time.Instant;
import java.util.Set;

/// Search pacing states for which gangs victims may be searched again, and which may be victims.
///
/// @param again preemptors for which victims are not searched again before the instant
/// @param barred gangs that are no victims before the instant: their eviction was forbidden
/// @param turn namespace that had the last turn in the rotation; empty before the first one
/// @param turns last class that had a turn in each namespace
public record VictimSearchPacing(
    SortedTable<GangId, Instant> again,
    SortedTable<GangId, Instant> barred,
    String turn,
    SortedTable<String, WaitClass.Key> turns) {
  /// No gang is limited.
  public static final VictimSearchPacing NONE =
      new VictimSearchPacing(SortedTable.empty(), SortedTable.empty(), "", SortedTable.empty());

  public VictimSearchPacing lookingAgain(GangId gang, Instant at) {
    return new VictimSearchPacing(again.with(gang, at), barred, turn, turns);
  }

  /// Returns this pacing with every preemptor free to search at once.
  public VictimSearchPacing restarted() {
    return new VictimSearchPacing(SortedTable.empty(), barred, turn, turns);
  }

  public VictimSearchPacing barring(GangId victim, Instant until) {
    return new VictimSearchPacing(again, barred.with(victim, until), turn, turns);
  }

  /// Returns this pacing after the turn of a class. Turns of namespaces without due gangs are
  /// forgotten.
  ///
  /// @param namespace namespace of the gang that was searched for
  /// @param due namespaces with due gangs
  public VictimSearchPacing turnOf(String namespace, WaitClass.Key key, Set<String> due) {
    SortedTable<String, WaitClass.Key> kept = turns;
    for (String known : turns.keys()) {
      kept = due.contains(known) ? kept : kept.without(known);
    }
    return new VictimSearchPacing(again, barred, namespace, kept.with(namespace, key));
  }

  /// Returns this pacing without past instants and without gangs that are gone.
  public VictimSearchPacing at(Instant now, Cluster cluster) {
    return new VictimSearchPacing(
        kept(again, cluster, now), kept(barred, cluster, now), turn, turns);
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
