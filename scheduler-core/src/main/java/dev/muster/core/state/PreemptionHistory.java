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

/// A preemption history counts preemptions: per gang for its cost, and of the last hour for the
/// limit.
///
/// @param stopped times of the last [#REMEMBERED] preemptions of each gang that still exists
/// @param lastHour times of all preemptions in the last hour, oldest first
public record PreemptionHistory(
    SortedTable<GangId, List<Instant>> stopped, List<Instant> lastHour) {
  /// The number of preemptions that are remembered of each gang.
  public static final int REMEMBERED = 100;

  private static final Duration HOUR = Duration.ofHours(1);

  /// No gang was ever preempted.
  public static final PreemptionHistory NONE =
      new PreemptionHistory(SortedTable.empty(), List.of());

  public PreemptionHistory {
    lastHour = List.copyOf(lastHour);
  }

  /// Returns the times of the gang's preemptions, oldest first. They come from this history, else
  /// from the gang's object.
  public List<Instant> of(GangId gang, Cluster cluster) {
    return stopped
        .get(gang)
        .or(() -> cluster.gang(gang).spec().map(GangSpec::preemption).map(r -> r.stopped()))
        .orElse(List.of());
  }

  /// Returns this history with the eviction of the victim begun now.
  ///
  /// @param times times of the victim's preemptions: each is the time of the first notification,
  ///   which may be long past
  public PreemptionHistory stopping(GangId victim, List<Instant> times, Instant now) {
    List<Instant> hour = new ArrayList<>(lastHour);
    hour.add(now);
    return new PreemptionHistory(stopped.with(victim, times), hour);
  }

  /// Returns this history after the victim was reprieved or left for another preemptor.
  ///
  /// @param times times of its preemptions
  /// @param hit true if members left, so that it still counts for the last hour
  public PreemptionHistory reprieving(Preemption.Stop stop, List<Instant> times, boolean hit) {
    List<Instant> hour = new ArrayList<>(lastHour);
    if (!hit) {
      stop.evictedAt().ifPresent(hour::remove);
    }
    return new PreemptionHistory(stopped.with(stop.victim().gang(), times), hour);
  }

  /// Returns this history with the preemptions of an earlier process: the last time that each
  /// gang's object records.
  ///
  /// @param toLeave victims that have not begun to leave; they count once they do
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

  /// Returns the number of preemptions in the hour up to now.
  public int inLastHour(Instant now) {
    return (int) lastHour.stream().filter(at -> at.plus(HOUR).isAfter(now)).count();
  }

  /// Returns this history without entries older than an hour and without gangs that are gone.
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
