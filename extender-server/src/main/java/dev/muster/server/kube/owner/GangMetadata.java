package dev.muster.server.kube.owner;

import dev.muster.server.kube.client.WellKnownNames;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The labels and annotations that a PodGroup takes from its owner.
final class GangMetadata {
  private static final String PREFIX = "muster.dev/";

  /// The labels that choose a queue.
  static final List<String> QUEUES = List.of(WellKnownNames.QUEUE, WellKnownNames.KUEUE_QUEUE);

  private GangMetadata() {}

  /// Returns the labels that policies and queues read. If there are more than this number, these
  /// are only the labels about queues.
  static SortedMap<String, String> labels(Map<String, String> owner, int most) {
    SortedMap<String, String> labels = new TreeMap<>(owner);
    labels.remove(WellKnownNames.FORMS_GANG);
    if (labels.size() > most) {
      labels.keySet().retainAll(QUEUES);
    }
    return labels;
  }

  /// Returns the annotations in which a user describes the gang.
  static SortedMap<String, String> annotations(Map<String, String> object) {
    SortedMap<String, String> annotations = new TreeMap<>(object);
    annotations
        .keySet()
        .removeIf(key -> !key.startsWith(PREFIX) || WellKnownNames.RECORDS.contains(key));
    return annotations;
  }
}
