package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.victims.VictimCandidate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Preemptions are the gangs that are being stopped for others, and what is remembered of it.
///
/// @param underWay by the gang for which others are stopped
/// @param victims by each gang that is being stopped the one for which
/// @param reviewed what was true when those under way were last reviewed; absent when nobody is
///   being stopped
/// @param pacing for which gangs victims may be sought again
/// @param history when gangs were stopped
public record Preemptions(
    SortedTable<GangId, Preemption> underWay,
    SortedTable<GangId, GangId> victims,
    Optional<ReviewBaseline> reviewed,
    VictimSearchPacing pacing,
    PreemptionHistory history) {
  /// No gang is stopped, or ever was.
  public static final Preemptions NONE =
      new Preemptions(
          SortedTable.empty(),
          SortedTable.empty(),
          Optional.empty(),
          VictimSearchPacing.NONE,
          PreemptionHistory.NONE);

  /// Preemptors for which victims are not sought again before the instant.
  public SortedTable<GangId, Instant> again() {
    return pacing.again();
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
  public List<Instant> stopped(GangId gang, Cluster cluster) {
    return history.of(gang, cluster);
  }

  public Preemptions with(Preemption preemption) {
    return stopping(preemption.gang(), Optional.of(preemption));
  }

  public Preemptions without(GangId gang) {
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
    Optional<ReviewBaseline> baseline = changed.isEmpty() ? Optional.empty() : reviewed;
    return new Preemptions(changed, all, baseline, pacing, history);
  }

  public Preemptions with(VictimSearchPacing other) {
    return new Preemptions(underWay, victims, reviewed, other, history);
  }

  public Preemptions with(PreemptionHistory other) {
    return new Preemptions(underWay, victims, reviewed, pacing, other);
  }

  /// Not to be looked at again for the gang before the instant.
  public Preemptions lookingAgain(GangId gang, Instant at) {
    return with(pacing.lookingAgain(gang, at));
  }

  /// Once those under way were reviewed as things stood then.
  public Preemptions with(ReviewBaseline then) {
    Optional<ReviewBaseline> baseline = underWay.isEmpty() ? Optional.empty() : Optional.of(then);
    return new Preemptions(underWay, victims, baseline, pacing, history);
  }

  /// The preemptors whose preemptions are to be reviewed: those of which an input has changed since
  /// the last review; all at a tick, since time has passed, and where the policy is another one.
  public SortedSet<GangId> due(Event event, Cluster cluster, WaitingGangs waiting) {
    boolean all =
        event instanceof Event.Tick
            || event instanceof Event.PolicyChanged
            || event instanceof Event.Synced;
    return reviewed
        .filter(old -> !all && !old.isReasonOther(waiting))
        .map(old -> stopping(old.changed(cluster, waiting, underWay)))
        .orElseGet(() -> new TreeSet<>(underWay.keys()));
  }

  /// Those of the gangs for which others are stopped, and those for which one of them is.
  private SortedSet<GangId> stopping(SortedSet<GangId> gangs) {
    TreeSet<GangId> stopping = new TreeSet<>();
    for (GangId gang : gangs) {
      if (underWay.contains(gang)) {
        stopping.add(gang);
      }
      by(gang).ifPresent(preemption -> stopping.add(preemption.gang()));
    }
    return stopping;
  }

  /// With those counted that an earlier run stopped.
  public Preemptions recovered(Cluster cluster) {
    return with(history.recovered(cluster, toLeave()));
  }

  /// How many gangs may be stopped now, if it may be so many in an hour: those that are to leave
  /// for somebody and have not begun count as if they had, unless they are among these.
  public int left(int perHour, Collection<VictimCandidate> victims, Instant now) {
    Set<GangId> others = toLeave();
    victims.forEach(victim -> others.remove(victim.gang()));
    return perHour - history.inLastHour(now) - others.size();
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
  public Preemptions at(Instant now, Cluster cluster) {
    return with(pacing.at(now, cluster)).with(history.at(now, cluster));
  }
}
