package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import java.time.Duration;
import java.time.Instant;

/// Own searches are the failed searches after events about the gangs themselves, by namespace.
///
/// *Goals:* the events of one tenant cost a bounded time each second, however often its gangs
/// change. A gang is tried at once in the usual case. A search that finds a place is not counted.
///
/// *Algorithm:* a failed search counts as many members as were searched for. A namespace may fail
/// until it has reached [#MEMBERS] since the last tick, or in a second. Its other gangs keep their
/// answers until the next tick, which begins a new count.
///
/// *Example:* a namespace may fail for 64 lone pods, four gangs of 256 pods, or one of 2,000.
///
/// @param since time of the first search that is counted
/// @param members sums of members by namespace
public record OwnSearches(Instant since, SortedTable<String, Integer> members) {
  /// The number of members at which the searches of a namespace end.
  public static final int MEMBERS = 1024;

  /// The least number of members that a search counts.
  private static final int LEAST = 16;

  /// The least number that it counts for a gang that may choose among kinds of members. Many sets
  /// of them are searched.
  private static final int LEAST_CHOOSING = 256;

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /// No search is counted.
  public static final OwnSearches NONE = new OwnSearches(Instant.MIN, SortedTable.empty());

  /// True if a search for a gang of the namespace may fail now.
  public boolean permits(String namespace, Instant now) {
    return isOver(now) || members.get(namespace).orElse(0) < MEMBERS;
  }

  private boolean isOver(Instant now) {
    return !now.isBefore(since.plus(INTERVAL));
  }

  /// Returns these searches with one more, which found no place for the gang.
  public OwnSearches failed(Gang gang, Cluster cluster) {
    OwnSearches counted =
        isOver(cluster.now()) ? new OwnSearches(cluster.now(), SortedTable.empty()) : this;
    int least = PendingMembers.mayChoose(cluster, gang) ? LEAST_CHOOSING : LEAST;
    String namespace = gang.id().namespace();
    int sum = counted.members.get(namespace).orElse(0) + Math.max(least, gang.wantingCount());
    return new OwnSearches(counted.since, counted.members.with(namespace, sum));
  }
}
