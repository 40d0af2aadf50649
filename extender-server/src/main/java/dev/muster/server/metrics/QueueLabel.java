package dev.muster.server.metrics;

import dev.muster.core.admission.Queues;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The values of the label `queue`: the configured queues, and [#OTHER] for all others together. So
/// no name from a user becomes a label.
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

  /// Returns all values of the label, in order of name; the others come last.
  List<String> values() {
    List<String> all = new ArrayList<>(configured.stream().sorted().toList());
    all.add(OTHER);
    return all;
  }
}
