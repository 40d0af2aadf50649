package dev.muster.core.admission;

import dev.muster.core.budget.QueueNamespaces;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.DecayedUsage;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// All queues of the cluster.
///
/// If none is configured, every name that a gang uses is a queue of weight 1 without limits.
/// Otherwise only the configured queues exist.
///
/// @param byName the configured queues
/// @param halfLife time in which half of the GPU time used is forgotten
public record Queues(SortedTable<String, Queue> byName, Duration halfLife) {
  /// The state without configured queues, with the default half-life of a week.
  public static final Queues NONE = new Queues(SortedTable.empty(), Cluster.HALF_LIFE);

  public Queues {
    if (halfLife.compareTo(DecayedUsage.SHORTEST_HALF_LIFE) < 0
        || halfLife.compareTo(DecayedUsage.LONGEST_HALF_LIFE) > 0) {
      throw new IllegalArgumentException(
          "The half-life of usage is %s; it must be from %s to %s."
              .formatted(
                  halfLife, DecayedUsage.SHORTEST_HALF_LIFE, DecayedUsage.LONGEST_HALF_LIFE));
    }
  }

  /// Returns these queues with the default half-life.
  ///
  /// @throws IllegalArgumentException if two queues have one name
  public static Queues of(List<Queue> queues) {
    return of(queues, Cluster.HALF_LIFE);
  }

  /// Returns these queues.
  ///
  /// @throws IllegalArgumentException if two queues have one name
  public static Queues of(List<Queue> queues, Duration halfLife) {
    SortedTable<String, Queue> byName = SortedTable.empty();
    for (Queue queue : queues) {
      if (byName.contains(queue.name())) {
        throw new IllegalArgumentException("Two queues have the name %s.".formatted(queue.name()));
      }
      byName = byName.with(queue.name(), queue);
    }
    return new Queues(byName, halfLife);
  }

  /// Returns the namespaces from which the queues accept gangs.
  public QueueNamespaces namespaces() {
    SortedTable<String, SortedKeys<String>> lists = SortedTable.empty();
    for (Queue queue : byName) {
      lists = lists.with(queue.name(), SortedKeys.of(queue.namespaces()));
    }
    return QueueNamespaces.of(lists);
  }

  /// True if any name of a queue is accepted.
  public boolean takesAnyName() {
    return byName.isEmpty();
  }

  /// Returns the queue of this name; absent if it does not exist.
  public Optional<Queue> find(String name) {
    return takesAnyName() ? Optional.of(Queue.of(name)) : byName.get(name);
  }

  /// Returns the priority that counts: the gang's own, limited by its queue's ceiling.
  public int priority(Gang gang) {
    return priority(gang.queue(), gang.priority());
  }

  /// Returns the priority that counts for this own priority in the queue of this name.
  public int priority(String queue, int own) {
    if (takesAnyName()) {
      return own;
    }
    return find(queue)
        .flatMap(Queue::priorityCeiling)
        .map(ceiling -> Math.min(own, ceiling))
        .orElse(own);
  }
}
