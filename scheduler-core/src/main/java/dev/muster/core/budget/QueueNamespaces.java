package dev.muster.core.budget;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;

/// The namespaces from which queues accept gangs, and so the queue that is charged for a gang.
///
/// A tenant writes the name of any queue on an object, and may bind pods to nodes without Muster.
/// So a name alone must not charge GPUs to a queue.
///
/// @param lists the namespaces by queue; a queue without an entry accepts all
public record QueueNamespaces(SortedTable<String, SortedKeys<String>> lists) {
  /// Every queue accepts all namespaces.
  public static final QueueNamespaces ALL = new QueueNamespaces(SortedTable.empty());

  /// The account of gangs that no queue accepts; no queue has this name.
  private static final String NO_QUEUE = "";

  /// True if the queue accepts gangs of the namespace.
  public boolean takes(String queue, String namespace) {
    return lists.isEmpty() || !lists.contains(queue, listed -> !listed.contains(namespace));
  }

  /// Returns the queue that is charged for a gang of the namespace that names this queue.
  ///
  /// It is the named queue if that accepts the namespace, otherwise the queue with the name of the
  /// namespace. If that does not accept it either, no queue is charged.
  public String charged(String named, String namespace) {
    if (takes(named, namespace)) {
      return named;
    }
    return takes(namespace, namespace) ? namespace : NO_QUEUE;
  }
}
