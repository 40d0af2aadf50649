package dev.muster.core.collect;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A persistent map that is asked by key alone: what a [SortedTable] is where nobody needs the
/// order, with a third of the steps to find or change an entry, and no names to compare on the way.
///
/// Goals: immutable; a change costs O(log n) time and memory however large the table; nothing that
/// can be seen of it hangs on the order in which entries came.
///
/// Algorithm: a hash trie with 32 ways at each level (Bagwell 2001), single entries kept as far up
/// as they can be (Steindorfer & Vinju 2015): see [Trie].
///
/// @param <K> the key, whose `hashCode` and natural order agree with `equals`
/// @param <V> the value
public final class LookupTable<K extends Comparable<K>, V> {
  private static final LookupTable<?, ?> EMPTY = new LookupTable<>(Trie.EMPTY, 0);

  private final Trie trie;
  private final int size;

  private LookupTable(Trie trie, int size) {
    this.trie = trie;
    this.size = size;
  }

  /// The table without entries.
  @SuppressWarnings("unchecked") // an empty table holds no key and no value of any type
  public static <K extends Comparable<K>, V> LookupTable<K, V> empty() {
    return (LookupTable<K, V>) EMPTY;
  }

  /// The entries of a table in order.
  public static <K extends Comparable<K>, V> LookupTable<K, V> of(SortedTable<K, V> entries) {
    LookupTable<K, V> table = empty();
    for (var entry : entries.entries()) {
      table = table.with(entry.key(), entry.value());
    }
    return table;
  }

  /// The number of entries.
  public int size() {
    return size;
  }

  /// The value under the key, if any.
  public Optional<V> get(K key) {
    return Optional.ofNullable(find(key));
  }

  @SuppressWarnings("unchecked") // only values are put in
  private @Nullable V find(K key) {
    return (V) trie.find(key, Trie.hash(key));
  }

  public boolean contains(K key) {
    return find(key) != null;
  }

  /// This table with the key set to the value; this very table when it already holds that same
  /// object.
  @SuppressWarnings("ReferenceEquality") // what did not change is the same object
  public LookupTable<K, V> with(K key, V value) {
    V before = find(key);
    return before == value
        ? this
        : new LookupTable<>(
            trie.with(key, value, Trie.hash(key), 0), before == null ? size + 1 : size);
  }

  /// This table without the key; this very table when the key is absent.
  public LookupTable<K, V> without(K key) {
    return contains(key) ? new LookupTable<>(trie.without(key, Trie.hash(key), 0), size - 1) : this;
  }

  /// This table with the key set to the value, or without the key if there is none.
  public LookupTable<K, V> with(K key, Optional<V> value) {
    return value.isPresent() ? with(key, value.get()) : without(key);
  }

  /// The same entries in the order of their keys: O(n log n).
  @SuppressWarnings("unchecked") // only keys and values are put in
  public SortedTable<K, V> sorted() {
    List<K> keys = new ArrayList<>(size);
    trie.visit((key, _) -> keys.add((K) key));
    SortedTable<K, V> sorted = SortedTable.empty();
    for (K key : keys) {
      sorted = sorted.with(key, get(key).orElseThrow());
    }
    return sorted;
  }

  /// Whether both hold the same under the same keys. What they share is not compared.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LookupTable<?, ?> that && size == that.size && trie.equals(that.trie);
  }

  @Override
  public int hashCode() {
    int[] sum = {0};
    trie.visit((key, value) -> sum[0] += key.hashCode() ^ value.hashCode());
    return sum[0];
  }

  @Override
  public String toString() {
    return sorted().toString();
  }
}
