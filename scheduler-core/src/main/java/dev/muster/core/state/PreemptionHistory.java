package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/// The stop history counts preemptions: per gang for its price, and of the last hour for the limit.
///
/// @param stopped when gangs that are still there were stopped, the last [#REMEMBERED] times
/// @param lastHour when gangs were stopped in the last hour, oldest first
public record PreemptionHistory(SortedTable<GangId, List<Instant>> stopped, List<Instant> lastHour) {
  /// So many times are remembered of each gang.
  public static final int REMEMBERED = 100;

  private static final Duration HOUR = Duration.ofHours(1);

  /// No gang was ever stopped.
  public static final PreemptionHistory NONE = new PreemptionHistory(SortedTable.empty(), List.of());

  public PreemptionHistory {
    lastHour = List.copyOf(lastHour);
  }

  /// When the gang was stopped, oldest first: as its object says, or as was done since.
  public List<Instant> of(GangId gang, Cluster cluster) {
    return stopped
        .get(gang)
        .or(() -> cluster.gang(gang).spec().map(GangSpec::preemption).map(r -> r.stopped()))
        .orElse(List.of());
  }

  /// With the victim's eviction begun now.
  ///
  /// @param times when it was stopped: when it was to be told, which may be long ago
  public PreemptionHistory stopping(GangId victim, List<Instant> times, Instant now) {
    List<Instant> hour = new ArrayList<>(lastHour);
    hour.add(now);
    return new PreemptionHistory(stopped.with(victim, times), hour);
  }

  /// Once the victim stays after all, or leaves for another.
  ///
  /// @param times when it was stopped
  /// @param hit whether some of it left, so that it counts for the hour
  public PreemptionHistory reprieving(Preemption.Stop stop, List<Instant> times, boolean hit) {
    List<Instant> hour = new ArrayList<>(lastHour);
    if (!hit) {
      stop.evictedAt().ifPresent(hour::remove);
    }
    return new PreemptionHistory(stopped.with(stop.victim().gang(), times), hour);
  }

  /// With those counted that an earlier run stopped: of each gang the last time that its object
  /// tells.
  ///
  /// @param toLeave victims that have not begun to leave: they count when they do
  public PreemptionHistory recovered(Cluster cluster, Set<GangId> toLeave) {
    List<Instant> hour = new ArrayList<>();
    for (Gang gang : cluster.gangs()) {
      List<Instant> times = toLeave.contains(gang.id()) ? List.of() : of(gang.id(), cluster);
      if (!times.isEmpty() && !times.getLast().isAfter(cluster.now())) {
        hour.add(times.getLast());
      }
    }
    Collections.sort(hour);
    return new PreemptionHistory(stopped, hour);
  }

  /// How many gangs were stopped in the hour up to now.
  public int inLastHour(Instant now) {
    return (int) lastHour.stream().filter(at -> at.plus(HOUR).isAfter(now)).count();
  }

  /// Without what is older than an hour, and without gangs that are gone.
  public PreemptionHistory at(Instant now, Cluster cluster) {
    return new PreemptionHistory(
        stopped.isEmpty() ? stopped : known(cluster),
        lastHour.stream().filter(at -> at.plus(HOUR).isAfter(now)).toList());
  }

  private SortedTable<GangId, List<Instant>> known(Cluster cluster) {
    SortedTable<GangId, List<Instant>> known = stopped;
    for (GangId gang : stopped.keys()) {
      known = cluster.gangs().contains(gang) ? known : known.without(gang);
    }
    return known;
  }
}
