package dev.muster.policy.preemption;

import dev.muster.core.gang.GpuChoice;
import dev.muster.core.preemption.Subject;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Which gangs are meant; all that is given must fit.
///
/// @param priority its priority
/// @param gpus its GPUs
/// @param queues its queue is one of these
/// @param namespaces its namespace is one of these
/// @param models one of its models has one of these words in its name
/// @param labels its object has these labels
/// @param borrows whether its queue uses more than it is guaranteed
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

  /// Whether the gang is meant.
  boolean fits(Subject gang) {
    return priority.has(gang.priority())
        && gpus.has(gang.gpus())
        && queues.map(names -> names.contains(gang.queue())).orElse(true)
        && namespaces.map(names -> names.contains(gang.gang().namespace())).orElse(true)
        && gang.labels().entrySet().containsAll(labels.entrySet())
        && borrows.map(wanted -> wanted == gang.borrows()).orElse(true)
        && models.map(words -> hasModel(gang, words)).orElse(true);
  }

  private static boolean hasModel(Subject gang, List<String> words) {
    GpuChoice choice = new GpuChoice(words, false);
    return gang.models().stream().anyMatch(choice::accepts);
  }
}
