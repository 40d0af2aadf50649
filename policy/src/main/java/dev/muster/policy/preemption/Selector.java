package dev.muster.policy.preemption;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.victims.GangProfile;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

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

  /// Returns the first criterion that does not match the gang: its field, and the value.
  ///
  /// Example: `queues: batch is not one of nlp`. Empty if the gang is selected.
  Optional<String> misfit(GangProfile gang) {
    return Stream.of(
            range("priority", priority, gang.priority()),
            range("gpus", gpus, gang.gpus()),
            name("queues", queues, gang.queue()),
            name("namespaces", namespaces, gang.gang().namespace()),
            labels.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .filter(label -> !gang.labels().entrySet().contains(label))
                .map(
                    label -> "labels: it has no %s: %s".formatted(label.getKey(), label.getValue()))
                .findFirst(),
            borrows
                .filter(wanted -> wanted != gang.borrows())
                .map(wanted -> "borrows: it is %s".formatted(gang.borrows())),
            models
                .filter(words -> !hasModel(gang, words))
                .map(words ->
                    "models: %s is not one of %s".formatted(listed(gang.models()), listed(words))))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<String> range(String field, Range range, int number) {
    return range.has(number)
        ? Optional.empty()
        : Optional.of(
            "%s: %d is %s"
                .formatted(
                    field,
                    number,
                    range.min().filter(least -> number < least).isPresent()
                        ? "less than " + range.min().get()
                        : "more than " + range.max().orElse(Integer.MAX_VALUE)));
  }

  private static Optional<String> name(String field, Optional<List<String>> names, String name) {
    return names
        .filter(wanted -> !wanted.contains(name))
        .map(wanted ->
            "%s: %s is not one of %s"
                .formatted(field, name.isEmpty() ? "none" : name, listed(wanted)));
  }

  private static String listed(Collection<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", names);
  }

  private static boolean hasModel(GangProfile gang, List<String> words) {
    GpuModelPreference choice = new GpuModelPreference(words, false);
    return gang.models().stream().anyMatch(choice::accepts);
  }
}
