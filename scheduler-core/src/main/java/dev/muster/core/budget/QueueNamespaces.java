package dev.muster.core.budget;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import java.util.Optional;

/// The namespaces from which queues accept gangs, and so the queue that is charged for a gang.
///
/// A tenant writes the name of any queue on an object, and may bind pods to nodes without Muster.
/// So a name alone must not charge GPUs to a queue. Nor must the name of a queue that does not
/// exist take them off the queues of the namespace.
///
/// @param lists the namespaces of each queue; a queue with an empty list accepts all. Without
///   queues every name is one that accepts all
/// @param listing the first queue by name that lists each namespace
public record QueueNamespaces(
    SortedTable<String, SortedKeys<String>> lists, SortedTable<String, String> listing) {
  /// Every queue accepts all namespaces.
  public static final QueueNamespaces ALL = of(SortedTable.empty());

  /// The account of gangs that no queue accepts; no queue has this name.
  private static final String NO_QUEUE = "";

  /// Returns these queues, each with its namespaces.
  public static QueueNamespaces of(SortedTable<String, SortedKeys<String>> lists) {
    SortedTable<String, String> listing = SortedTable.empty();
    for (String queue : lists.keys()) {
      for (String namespace : lists.get(queue).orElse(SortedKeys.empty())) {
        listing = listing.update(namespace, (_, first) -> first.or(() -> Optional.of(queue)));
      }
    }
    return new QueueNamespaces(lists, listing);
  }

  /// True if the queue exists and accepts gangs of the namespace.
  public boolean takes(String queue, String namespace) {
    return lists.isEmpty()
        || lists.contains(queue, listed -> listed.isEmpty() || listed.contains(namespace));
  }

  /// Returns the queue that is charged for a gang of the namespace that names this queue.
  ///
  /// It is the first of these that accepts the namespace: the named queue, the queue with the name
  /// of the namespace, a queue that lists the namespace. If none does, it is an account without
  /// limits. That has the name of the namespace, or no name if a queue has that name.
  public String charged(String named, String namespace) {
    if (takes(named, namespace)) {
      return named;
    }
    return takes(namespace, namespace)
        ? namespace
        : listing.get(namespace).orElse(lists.contains(namespace) ? NO_QUEUE : namespace);
  }
}
