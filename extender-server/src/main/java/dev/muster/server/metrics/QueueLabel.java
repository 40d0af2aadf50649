package dev.muster.server.metrics;

import dev.muster.core.admission.Queues;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// The values of the label `queue`: the configured queues, and [#OTHER] for all others together. So
/// no name from a user becomes a label. A configured queue of that name counts among the others.
///
/// @param configured names of the configured queues
record QueueLabel(Set<String> configured) {
  static final String OTHER = "other";

  static QueueLabel of(Queues queues) {
    return new QueueLabel(Set.copyOf(queues.byName().keys()));
  }

  String of(String queue) {
    return configured.contains(queue) ? queue : OTHER;
  }

  /// Returns all values of the label, in order of name.
  SortedSet<String> values() {
    SortedSet<String> all = new TreeSet<>(configured);
    all.add(OTHER);
    return all;
  }
}
