package dev.muster.core.gang;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The discrepancies of a gang are its objects that do not count, so that its status can name them.
///
/// Example: two pods carry the gang's label, but belong to a scheduler that does not ask Muster.
///
/// @param declaration all mistakes of the PodGroup, or of the single pod, in its present form
/// @param schedulers number of pods that name the gang, by a scheduler that does not ask Muster
/// @param invalidPods number of pods that name the gang and are invalid
/// @param invalidPod all mistakes of the first of them, with its name
public record Discrepancies(
    Optional<String> declaration,
    SortedMap<String, Integer> schedulers,
    int invalidPods,
    Optional<String> invalidPod) {
  /// All objects of the gang count.
  public static final Discrepancies NONE =
      new Discrepancies(Optional.empty(), Collections.emptySortedMap(), 0, Optional.empty());

  public Discrepancies {
    schedulers =
        schedulers.isEmpty()
            ? Collections.emptySortedMap()
            : Collections.unmodifiableSortedMap(new TreeMap<>(schedulers));
  }

  /// Returns the discrepancies of a gang of which only the declaration is invalid.
  public static Discrepancies ofDeclaration(String mistakes) {
    return new Discrepancies(
        Optional.of(mistakes), Collections.emptySortedMap(), 0, Optional.empty());
  }

  /// True if pods name the gang without counting.
  public boolean hasPods() {
    return !schedulers.isEmpty() || invalidPods > 0;
  }
}
