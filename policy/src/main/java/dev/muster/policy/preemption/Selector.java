package dev.muster.policy.preemption;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.victims.GangProfile;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Selects gangs; all given criteria must match.
///
/// @param priority range of the priority
/// @param gpus range of the GPU count
/// @param queues the queue is one of these
/// @param namespaces the namespace is one of these
/// @param models the name of one of its models contains one of these words
/// @param labels the object has these labels
/// @param borrows true for queues that use more than their guarantee, false for others
record Selector(
    Range priority,
    Range gpus,
    Optional<List<String>> queues,
    Optional<List<String>> namespaces,
    Optional<List<String>> models,
    Map<String, String> labels,
    Optional<Boolean> borrows) {
  Selector {
    labels = Map.copyOf(labels);
  }

  /// Every gang.
  static final Selector ALL =
      new Selector(
          Range.ALL,
          Range.ALL,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          Optional.empty());

  /// A range of whole numbers, both ends included.
  record Range(Optional<Integer> min, Optional<Integer> max) {
    static final Range ALL = new Range(Optional.empty(), Optional.empty());

    boolean has(int number) {
      return min.orElse(Integer.MIN_VALUE) <= number && number <= max.orElse(Integer.MAX_VALUE);
    }
  }

  /// True if the gang is selected.
  boolean fits(GangProfile gang) {
    return priority.has(gang.priority())
        && gpus.has(gang.gpus())
        && queues.map(names -> names.contains(gang.queue())).orElse(true)
        && namespaces.map(names -> names.contains(gang.gang().namespace())).orElse(true)
        && gang.labels().entrySet().containsAll(labels.entrySet())
        && borrows.map(wanted -> wanted == gang.borrows()).orElse(true)
        && models.map(words -> hasModel(gang, words)).orElse(true);
  }

  private static boolean hasModel(GangProfile gang, List<String> words) {
    GpuModelPreference choice = new GpuModelPreference(words, false);
    return gang.models().stream().anyMatch(choice::accepts);
  }
}
