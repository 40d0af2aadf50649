package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.placement.request.SearchCost;
import java.time.Duration;
import java.time.Instant;

/// Recent searches are the searches of the last second that count, by namespace.
///
/// *Goals:* the gangs of one tenant cost a bounded time each second, however often they change, and
/// however much a search for them costs. A gang is tried at once in the usual case.
///
/// *Algorithm:* two kinds of searches count.
///
/// - Failed searches after events about the gangs themselves. They count as many members as were
///   searched for.
/// - Costly searches of scheduling rounds ([SearchCost]), also those that find a place. They count
///   by their cost.
///
/// A namespace has its searches at once until it has reached [#MEMBERS] since the last tick, or in
/// a second. Its other gangs keep their answers until the next tick, which begins a new count.
///
/// *Example:* a namespace may fail for 64 lone pods, four gangs of 256 pods, or one of 2,000. On
/// 5,000 nodes it may search for two gangs of 32 pods that all differ, or for four pods with 200
/// conditions of node selection.
///
/// @param since time of the first search that is counted
/// @param members sums of members by namespace
public record RecentSearches(Instant since, SortedTable<String, Integer> members) {
  /// The number of members at which the searches of a namespace end.
  public static final int MEMBERS = 1024;

  /// The least number of members that a failed search counts.
  private static final int LEAST = 16;

  /// The least number that it counts for a gang that may choose among kinds of members. Many sets
  /// of them are searched.
  private static final int LEAST_CHOOSING = 256;

  /// The steps of a search that count as one member: they take a quarter of a millisecond.
  private static final int STEPS = 625_000;

  /// The searches for a gang that may choose, in searches for all its members.
  private static final int CHOICES = 4;

  /// The least number of members that a costly search counts.
  private static final int COSTLY = 8;

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /// No search is counted.
  public static final RecentSearches NONE = new RecentSearches(Instant.MIN, SortedTable.empty());

  /// True if a search for a gang of the namespace may be made at once.
  public boolean permits(String namespace, Instant now) {
    return isOver(now) || members.get(namespace).orElse(0) < MEMBERS;
  }

  private boolean isOver(Instant now) {
    return !now.isBefore(since.plus(INTERVAL));
  }

  /// True if a search for the gang is costly.
  static boolean isCostly(Gang gang, Cluster cluster) {
    return cost(gang, cluster) >= COSTLY;
  }

  /// Returns these searches with one more, which found no place for the gang.
  public RecentSearches failed(Gang gang, Cluster cluster) {
    int least = PendingMembers.mayChoose(cluster, gang) ? LEAST_CHOOSING : LEAST;
    return with(gang, cluster, Math.max(Math.max(least, gang.wantingCount()), cost(gang, cluster)));
  }

  /// Returns these searches with one more for the gang, if it is costly.
  public RecentSearches costly(Gang gang, Cluster cluster) {
    int cost = cost(gang, cluster);
    return cost < COSTLY ? this : with(gang, cluster, cost);
  }

  private static int cost(Gang gang, Cluster cluster) {
    long steps = SearchCost.of(cluster.unpromised(gang), cluster.nodes().size());
    long searches = steps > 0 && PendingMembers.mayChoose(cluster, gang) ? CHOICES : 1;
    return (int) Math.min(MEMBERS, searches * steps / STEPS);
  }

  private RecentSearches with(Gang gang, Cluster cluster, int searched) {
    RecentSearches counted =
        isOver(cluster.now()) ? new RecentSearches(cluster.now(), SortedTable.empty()) : this;
    String namespace = gang.id().namespace();
    int sum = counted.members.get(namespace).orElse(0) + searched;
    return new RecentSearches(counted.since, counted.members.with(namespace, sum));
  }
}
