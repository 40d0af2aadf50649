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

/// Preemptions are all preemptions under way, with the memory that the search for victims needs.
///
/// @param underWay the preemptions, by preemptor
/// @param victims the preemptor of each gang that is being preempted
/// @param reviewed inputs of the last review; absent while no preemption is under way
/// @param pacing states for which gangs victims may be searched again
/// @param history times of earlier preemptions
public record Preemptions(
    SortedTable<GangId, Preemption> underWay,
    SortedTable<GangId, GangId> victims,
    Optional<ReviewBaseline> reviewed,
    VictimSearchPacing pacing,
    PreemptionHistory history) {
  /// No preemption is under way, and none was.
  public static final Preemptions NONE =
      new Preemptions(
          SortedTable.empty(),
          SortedTable.empty(),
          Optional.empty(),
          VictimSearchPacing.NONE,
          PreemptionHistory.NONE);

  /// Returns the preemptors for which victims are not searched again before the instant.
  public SortedTable<GangId, Instant> again() {
    return pacing.again();
  }

  /// Returns the state of the gang as a victim; empty when it is not being preempted.
  public Optional<Preemption.Stop> stopOf(GangId victim) {
    Optional<Preemption> by = by(victim);
    return by.isPresent() ? by.get().stops().get(victim) : Optional.empty();
  }

  /// Returns the preemption that evicts the gang.
  public Optional<Preemption> by(GangId victim) {
    Optional<GangId> preemptor = victims.get(victim);
    return preemptor.isPresent() ? underWay.get(preemptor.get()) : Optional.empty();
  }

  /// Returns the times of the gang's preemptions, oldest first. They come from this history, else
  /// from the gang's object.
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
      } else if (all.contains(stop.key(), gang::equals)) {
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

  /// Returns these preemptions with no search for the gang before the instant.
  public Preemptions lookingAgain(GangId gang, Instant at) {
    return with(pacing.lookingAgain(gang, at));
  }

  /// Returns these preemptions with the inputs of a review that has just been made.
  public Preemptions with(ReviewBaseline then) {
    Optional<ReviewBaseline> baseline = underWay.isEmpty() ? Optional.empty() : Optional.of(then);
    return new Preemptions(underWay, victims, baseline, pacing, history);
  }

  /// Returns the preemptors whose preemptions must be reviewed: an input has changed since the last
  /// review.
  ///
  /// All are due at a tick, since time has passed. All are due after a change of the policy and
  /// after the first sync.
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

  /// Returns those of the gangs that are preemptors, and the preemptors of those that are victims.
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

  /// Returns these preemptions with those of an earlier process counted.
  public Preemptions recovered(Cluster cluster) {
    return with(history.recovered(cluster, toLeave()));
  }

  /// Returns the number of gangs that may be preempted now under an hourly limit. Victims that have
  /// not begun to leave count as preempted, unless they are among the given ones.
  public int left(int perHour, Collection<VictimCandidate> victims, Instant now) {
    Set<GangId> others = toLeave();
    victims.forEach(victim -> others.remove(victim.gang()));
    return perHour - history.inLastHour(now) - others.size();
  }

  /// Returns the victims that have not begun to leave.
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

  /// Returns these preemptions without expired entries.
  public Preemptions at(Instant now, Cluster cluster) {
    return with(pacing.at(now, cluster)).with(history.at(now, cluster));
  }
}
