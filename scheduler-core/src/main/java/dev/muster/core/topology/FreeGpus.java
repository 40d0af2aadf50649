package dev.muster.core.topology;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The free GPUs of a machine.
///
/// @param count number of free GPUs
/// @param indexes indexes of the free GPUs, `count` of them; absent when not known
public record FreeGpus(int count, Optional<SortedSet<Integer>> indexes) {
  public FreeGpus {
    indexes = indexes.map(TreeSet::new).map(Collections::unmodifiableSortedSet);
    if (count < 0 || (indexes.isPresent() && indexes.get().size() != count)) {
      throw new IllegalArgumentException(
          "The number of free GPUs is (%d) and their indexes are (%s); it must be 0 or more and match the indexes."
              .formatted(count, indexes.map(Object::toString).orElse("not known")));
    }
  }

  /// Returns this number of free GPUs with unknown indexes.
  public static FreeGpus any(int count) {
    return new FreeGpus(count, Optional.empty());
  }

  /// Returns free GPUs with these indexes.
  public static FreeGpus of(SortedSet<Integer> indexes) {
    return new FreeGpus(indexes.size(), Optional.of(indexes));
  }
}
