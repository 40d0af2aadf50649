package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.DecayedUsage;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// All queues. Where none is configured, every name that a gang calls is a queue of weight 1
/// without limits; where some are, only those exist.
///
/// @param byName those configured
/// @param halfLife in which half of the GPU time used is forgotten
public record Queues(SortedTable<String, Queue> byName, Duration halfLife) {
  /// None is configured; a week.
  public static final Queues NONE = new Queues(SortedTable.empty(), Cluster.HALF_LIFE);

  public Queues {
    if (halfLife.compareTo(DecayedUsage.SHORTEST_HALF_LIFE) < 0
        || halfLife.compareTo(DecayedUsage.LONGEST_HALF_LIFE) > 0) {
      throw new IllegalArgumentException(
          "The half-life of usage is %s; it must be from %s to %s. Maybe you meant 7 days."
              .formatted(halfLife, DecayedUsage.SHORTEST_HALF_LIFE, DecayedUsage.LONGEST_HALF_LIFE));
    }
  }

  /// These queues, usage with the usual half-life.
  ///
  /// @throws IllegalArgumentException if two have one name
  public static Queues of(List<Queue> queues) {
    return of(queues, Cluster.HALF_LIFE);
  }

  /// These queues.
  ///
  /// @throws IllegalArgumentException if two have one name
  public static Queues of(List<Queue> queues, Duration halfLife) {
    SortedTable<String, Queue> byName = SortedTable.empty();
    for (Queue queue : queues) {
      if (byName.contains(queue.name())) {
        throw new IllegalArgumentException(
            "Two queues have the name %s. Maybe remove one of them.".formatted(queue.name()));
      }
      byName = byName.with(queue.name(), queue);
    }
    return new Queues(byName, halfLife);
  }

  /// Whether any queue's name will do.
  public boolean takesAnyName() {
    return byName.isEmpty();
  }

  /// The queue of this name; absent when it does not exist.
  public Optional<Queue> find(String name) {
    return takesAnyName() ? Optional.of(Queue.of(name)) : byName.get(name);
  }

  /// The priority that counts: the gang's own, at most its queue's ceiling.
  public int priority(Gang gang) {
    return priority(gang.queue(), gang.priority());
  }

  /// The priority that counts of what has this one and is in the queue of this name.
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
