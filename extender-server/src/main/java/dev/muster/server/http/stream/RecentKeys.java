package dev.muster.server.http.stream;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// The keys that changed last, each with the version of its last change.
///
/// One key more than a change may name is kept. So the keys after a version are complete, or too
/// many to be named. Not safe for use by many threads.
///
/// @param <K> keys
final class RecentKeys<K extends Comparable<K>> {
  private final LinkedHashMap<K, Long> versions = new LinkedHashMap<>(); // oldest change first
  private final int most;

  /// @param most number of keys that can be named
  RecentKeys(int most) {
    this.most = most;
  }

  /// Records that the keys changed.
  ///
  /// @param version higher than those before
  void add(Set<K> keys, long version) {
    keys.forEach(key -> versions.putLast(key, version));
    while (versions.size() > most + 1) {
      versions.pollFirstEntry();
    }
  }

  /// Returns the keys that changed after the version; some of them if they are too many.
  SortedSet<K> after(long version) {
    SortedSet<K> keys = new TreeSet<>();
    for (Map.Entry<K, Long> entry : versions.sequencedEntrySet().reversed()) {
      if (entry.getValue() <= version) {
        break;
      }
      keys.add(entry.getKey());
    }
    return keys;
  }
}
