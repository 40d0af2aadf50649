package dev.muster.core.topology;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The GPUs of a machine that are free.
///
/// @param count how many
/// @param indexes which ones, as many as `count`, if somebody told
public record FreeGpus(int count, Optional<SortedSet<Integer>> indexes) {
  public FreeGpus {
    indexes = indexes.map(TreeSet::new).map(Collections::unmodifiableSortedSet);
    if (count < 0 || (indexes.isPresent() && indexes.get().size() != count)) {
      throw new IllegalArgumentException(
          "%d GPUs are said to be free, and of those the indexes %s. Maybe what is known is stale."
              .formatted(count, indexes.map(Object::toString).orElse("not at all")));
    }
  }

  /// So many, nobody knows which.
  public static FreeGpus any(int count) {
    return new FreeGpus(count, Optional.empty());
  }

  /// These.
  public static FreeGpus of(SortedSet<Integer> indexes) {
    return new FreeGpus(indexes.size(), Optional.of(indexes));
  }
}
