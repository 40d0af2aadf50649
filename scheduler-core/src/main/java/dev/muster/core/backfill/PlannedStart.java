package dev.muster.core.backfill;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import dev.muster.core.node.Placement;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchCost;
import dev.muster.core.placement.request.SearchResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// The place and the time at which a gang that does not fit is expected to start.
///
/// *Goals:* the earliest start that the expected ends allow. If too few ends are known, the place
/// that needs the fewest pods to end.
///
/// *Constraints:* those of [PlacementSearch]. Capacity held for other gangs stays held.
///
/// *Algorithm:* the running members are ordered by expected end or, for a place that is drained,
/// node by node ([ExpectedRelease]). The smallest number of them is searched whose end gives the
/// gang a place. The search gallops (1, 2, 4... members end), then halves, since more ends never
/// reduce free capacity. This is EASY's shadow time (Lifka 1995), with the topology of the
/// machines. No placement is searched where sums ([AvailabilityProfile]) rule it out. The start is
/// the end of the last of these members. At most [#LOOKED_AT] ends are examined. If one search
/// costs much ([SearchCost]), few are made, first with all ends. So the start may be later than the
/// earliest.
///
/// *Example:* a gang of 2 x 8. Nodes n1 (until 12:00), n2 (until 15:00), n3 (until 13:00) and n4
/// (unknown). By 13:00 n1 and n3 are free, so the gang is planned to start there at 13:00. A pod of
/// 1 GPU that runs until 12:30 may pass on n1 once that is free. A pod that runs for two hours may
/// not.
public final class PlannedStart {
  /// The maximum number of ends examined. If a start needs more, nothing is planned.
  static final int LOOKED_AT = 4_096;

  /// The largest number of placement searches. It suffices for 100,000 ends.
  private static final int SEARCHES = 40;

  private final Cluster cluster;
  private final Gang gang;
  private final List<Member> members;
  private final List<ExpectedRelease> releases;
  private final AvailabilityProfile profile;
  private int searchesLeft;

  private PlannedStart(
      Cluster cluster, Gang gang, List<Member> members, List<ExpectedRelease> releases) {
    this.cluster = cluster;
    this.gang = gang;
    this.members = members;
    this.releases = releases;
    this.profile = new AvailabilityProfile(cluster, gang, members, releases);
    this.searchesLeft =
        SearchCost.repeats(SearchCost.of(members, cluster.nodes().size()), SEARCHES);
  }

  /// Returns the hold for the gang's members, which are given in rank order.
  ///
  /// The result is empty in two cases:
  ///
  /// - Even if all pods ended, there would be no place.
  /// - The ends that would give a place are unknown, and the gang may not drain yet.
  ///
  /// @param cluster image without capacity held for this gang
  /// @param since time since when the gang has been among those that a start is planned for
  /// @param drains whether it has waited so long that its place is drained
  public static Optional<Hold> of(
      Cluster cluster,
      RuntimeHistory history,
      Gang gang,
      List<Member> members,
      Instant since,
      boolean drains) {
    List<ExpectedRelease> all = ExpectedRelease.of(cluster, history, gang.id(), drains);
    if (all.isEmpty()) {
      return Optional.empty(); // no end is known, so the nodes need not be examined
    }
    List<ExpectedRelease> releases = drains ? all : all.subList(0, Math.min(LOOKED_AT, all.size()));
    return new PlannedStart(cluster, gang, members, releases)
        .earliest()
        .map(found -> found.hold(gang.id(), releases, since, drains));
  }

  /// Returns the time at which the last pod is expected to have left a place, as seen at `then`.
  ///
  /// A pod of unknown end is expected to leave once it has run for twice its time at `then`.
  public static Instant empty(Cluster cluster, RuntimeHistory history, Hold hold, Instant then) {
    Instant last = Instant.MIN;
    for (ExpectedRelease release : ExpectedRelease.on(cluster, history, hold, then)) {
      Instant end =
          release.end().orElseGet(() -> then.plus(Duration.between(release.since(), then)));
      last = end.isAfter(last) ? end : last;
    }
    return last;
  }

  /// Returns the time that a place is expected to need until it is empty.
  ///
  /// A gang is expected to run for as long again as it has run, or until its known end if that is
  /// sooner. So a run time that an owner overstates makes it no longer.
  public static Duration drainTime(Cluster cluster, RuntimeHistory history, Hold hold) {
    Instant now = cluster.now();
    Duration longest = Duration.ZERO;
    for (ExpectedRelease release : ExpectedRelease.on(cluster, history, hold, now)) {
      Duration run = Duration.between(release.since(), now);
      Duration left = release.end().map(end -> Duration.between(now, end)).orElse(run);
      left = left.compareTo(run) < 0 ? left : run;
      longest = left.compareTo(longest) > 0 ? left : longest;
    }
    return longest;
  }

  /// A place, and the number of pods that must end for it.
  private record Found(Placement placement, int leaving) {
    Hold hold(GangId gang, List<ExpectedRelease> releases, Instant since, boolean drains) {
      List<ExpectedRelease> gone = releases.subList(0, leaving);
      SortedTable<NodeId, Hold.Share> shares =
          Hold.shares(placement, node -> counted(node, drains ? List.of() : gone));
      Optional<Instant> start = gone.getLast().end();
      return new Hold(gang, drains ? Hold.Kind.DRAINING : Hold.Kind.PLANNED, start, since, shares);
    }

    private static SortedKeys<MemberId> counted(NodeId node, List<ExpectedRelease> gone) {
      SortedKeys<MemberId> counted = SortedKeys.empty();
      for (ExpectedRelease release : gone) {
        boolean there = release.node().equals(node);
        counted = there ? counted.with(release.pod()) : counted;
      }
      return counted;
    }
  }

  /// Returns the place that needs the fewest ends, found by galloping and then by halving.
  private Optional<Found> earliest() {
    if (searchesLeft < SEARCHES) { // galloping could use them up
      return after(releases.size()).map(all -> earliest(0, all));
    }
    int low = 0;
    for (int high = 1; low < releases.size(); high = Math.min(2 * high, releases.size())) {
      Optional<Found> found = after(high);
      if (found.isPresent()) {
        return Optional.of(earliest(low, found.get()));
      }
      low = high;
    }
    return Optional.empty();
  }

  /// Returns the place that needs the fewest ends, found by halving.
  ///
  /// More than `tooFew` pods must end, and no more than for the given place.
  private Found earliest(int tooFew, Found found) {
    if (found.leaving() - tooFew == 1) {
      return found;
    }
    int middle = (tooFew + found.leaving()) >>> 1;
    return after(middle)
        .map(sooner -> earliest(tooFew, sooner))
        .orElseGet(() -> earliest(middle, found));
  }

  /// Returns a place once this many pods have ended, if there is one.
  private Optional<Found> after(int leaving) {
    return profile.mayHold(leaving)
            && searchesLeft-- > 0
            && PlacementSearch.search(without(leaving), gang, members, SortedKeys.empty())
                instanceof SearchResult.Found(Placement placement, _, _)
        ? Optional.of(new Found(placement, leaving))
        : Optional.empty();
  }

  private Cluster without(int leaving) {
    TreeMap<NodeId, List<MemberId>> pods = new TreeMap<>();
    for (ExpectedRelease release : releases.subList(0, leaving)) {
      pods.computeIfAbsent(release.node(), _ -> new ArrayList<>()).add(release.pod());
    }
    return WhatIf.emptied(cluster, pods);
  }
}
