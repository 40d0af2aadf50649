package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.preemption.Candidate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Who is being stopped for whom, and what is remembered of it.
///
/// @param underWay by the gang for which others are stopped
/// @param again for a gang for which somebody was to be stopped: not to be looked at again before
///   the instant
/// @param barred gangs that a disruption budget protected, until when they are not asked again
/// @param stopped when gangs that are still there were stopped, the last [#REMEMBERED] times
/// @param lastHour when gangs were stopped in the last hour, oldest first
/// @param turn the class that had the last turn of those that take turns to be looked at
/// @param victims by each gang that is being stopped the one for which
/// @param reviewed what was true when those under way were last reviewed; absent when nobody is
///   being stopped
public record Preemptions(
    SortedTable<GangId, Preemption> underWay,
    SortedTable<GangId, Instant> again,
    SortedTable<GangId, Instant> barred,
    SortedTable<GangId, List<Instant>> stopped,
    List<Instant> lastHour,
    Optional<WaitClass.Key> turn,
    SortedTable<GangId, GangId> victims,
    Optional<Reviewed> reviewed) {
  /// So many times are remembered of each gang.
  public static final int REMEMBERED = 100;

  private static final Duration HOUR = Duration.ofHours(1);

  /// Nobody is stopped.
  public static final Preemptions NONE =
      new Preemptions(
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty(),
          SortedTable.empty(),
          List.of(),
          Optional.empty(),
          SortedTable.empty(),
          Optional.empty());

  public Preemptions {
    lastHour = List.copyOf(lastHour);
  }

  /// What is being done to the gang for another; empty when it is not being stopped.
  public Optional<Preemption.Stop> stopOf(GangId victim) {
    Optional<Preemption> by = by(victim);
    return by.isPresent() ? by.get().stops().get(victim) : Optional.empty();
  }

  /// The preemption that stops the gang.
  public Optional<Preemption> by(GangId victim) {
    Optional<GangId> preemptor = victims.get(victim);
    return preemptor.isPresent() ? underWay.get(preemptor.get()) : Optional.empty();
  }

  /// When the gang was stopped, oldest first: as its object says, or as was done since.
  List<Instant> stopped(GangId gang, Cluster cluster) {
    return stopped
        .get(gang)
        .or(() -> cluster.gang(gang).spec().map(GangSpec::preemption).map(r -> r.stopped()))
        .orElse(List.of());
  }

  Preemptions with(Preemption preemption) {
    return stopping(preemption.gang(), Optional.of(preemption));
  }

  Preemptions without(GangId gang) {
    return stopping(gang, Optional.empty());
  }

  private Preemptions stopping(GangId gang, Optional<Preemption> now) {
    var old = underWay.get(gang).map(Preemption::stops).orElse(SortedTable.empty());
    var next = now.map(Preemption::stops).orElse(SortedTable.empty());
    SortedTable<GangId, GangId> all = victims;
    for (var stop : next.differences(old)) {
      if (stop.now().isPresent()) {
        all = all.with(stop.key(), gang);
      } else if (all.get(stop.key()).filter(gang::equals).isPresent()) {
        all = all.without(stop.key());
      }
    }
    var changed = underWay.update(gang, (_, _) -> now);
    return new Preemptions(
        changed,
        again,
        barred,
        stopped,
        lastHour,
        turn,
        all,
        changed.isEmpty() ? Optional.empty() : reviewed);
  }

  /// Once those under way were reviewed as things stood then.
  Preemptions with(Reviewed then) {
    return new Preemptions(
        underWay,
        again,
        barred,
        stopped,
        lastHour,
        turn,
        victims,
        underWay.isEmpty() ? Optional.empty() : Optional.of(then));
  }

  Preemptions lookingAgain(GangId gang, Instant at) {
    return new Preemptions(
        underWay, again.with(gang, at), barred, stopped, lastHour, turn, victims, reviewed);
  }

  /// Whoever found nobody to stop may look at once.
  Preemptions anew() {
    return new Preemptions(
        underWay, SortedTable.empty(), barred, stopped, lastHour, turn, victims, reviewed);
  }

  /// After the class's turn.
  Preemptions turnOf(WaitClass.Key key) {
    return new Preemptions(
        underWay, again, barred, stopped, lastHour, Optional.of(key), victims, reviewed);
  }

  Preemptions barring(GangId victim, Instant until) {
    return new Preemptions(
        underWay, again, barred.with(victim, until), stopped, lastHour, turn, victims, reviewed);
  }

  /// With the victim's eviction begun now.
  ///
  /// @param times when it was stopped: when it was to be told, which may be long ago
  Preemptions stopping(GangId victim, List<Instant> times, Instant now) {
    List<Instant> hour = new ArrayList<>(lastHour);
    hour.add(now);
    return new Preemptions(
        underWay, again, barred, stopped.with(victim, times), hour, turn, victims, reviewed);
  }

  /// Once the victim stays after all, or leaves for another.
  ///
  /// @param times when it was stopped
  /// @param hit whether some of it left, so that it counts for the hour
  Preemptions reprieving(Preemption.Stop stop, List<Instant> times, boolean hit) {
    List<Instant> hour = new ArrayList<>(lastHour);
    if (!hit) {
      stop.evictedAt().ifPresent(hour::remove);
    }
    return new Preemptions(
        underWay,
        again,
        barred,
        stopped.with(stop.victim().gang(), times),
        hour,
        turn,
        victims,
        reviewed);
  }

  /// With those counted that an earlier run stopped: of each gang the last time that its object
  /// tells. What is still to leave counts when it does.
  Preemptions recovered(Cluster cluster) {
    Set<GangId> toLeave = toLeave();
    List<Instant> hour = new ArrayList<>();
    for (Gang gang : cluster.gangs()) {
      List<Instant> times = toLeave.contains(gang.id()) ? List.of() : stopped(gang.id(), cluster);
      if (!times.isEmpty() && !times.getLast().isAfter(cluster.now())) {
        hour.add(times.getLast());
      }
    }
    Collections.sort(hour);
    return new Preemptions(underWay, again, barred, stopped, hour, turn, victims, reviewed);
  }

  /// How many gangs may be stopped now, if it may be so many in an hour: those that are to leave
  /// for somebody and have not begun count as if they had, unless they are among these.
  int left(int perHour, Collection<Candidate> victims, Instant now) {
    Set<GangId> others = toLeave();
    victims.forEach(victim -> others.remove(victim.gang()));
    long stopped = lastHour.stream().filter(at -> at.plus(HOUR).isAfter(now)).count();
    return perHour - (int) stopped - others.size();
  }

  /// Those that are to leave for somebody and have not begun.
  private Set<GangId> toLeave() {
    Set<GangId> toLeave = new TreeSet<>();
    for (Preemption preemption : underWay) {
      for (Preemption.Stop stop : preemption.stops()) {
        if (stop.evictedAt().isEmpty()) {
          toLeave.add(stop.victim().gang());
        }
      }
    }
    return toLeave;
  }

  /// Without what is of no use any more.
  Preemptions at(Instant now, Cluster cluster) {
    return new Preemptions(
        underWay,
        kept(again, cluster, now),
        kept(barred, cluster, now),
        stopped.isEmpty() ? stopped : known(cluster),
        lastHour.stream().filter(at -> at.plus(HOUR).isAfter(now)).toList(),
        turn,
        victims,
        reviewed);
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

  private SortedTable<GangId, List<Instant>> known(Cluster cluster) {
    SortedTable<GangId, List<Instant>> known = stopped;
    for (GangId gang : stopped.keys()) {
      known = cluster.gangs().contains(gang) ? known : known.without(gang);
    }
    return known;
  }
}
