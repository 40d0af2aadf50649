package dev.muster.core.collect;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A persistent set in key order: a [SortedTable] whose keys are its values.
///
/// @param <K> type of the keys, ordered by its natural order, which must agree with `equals`
public final class SortedKeys<K extends Comparable<K>> implements Iterable<K> {
  private static final SortedKeys<?> EMPTY = new SortedKeys<String>(SortedTable.empty());

  private final SortedTable<K, K> table;

  private SortedKeys(SortedTable<K, K> table) {
    this.table = table;
  }

  /// Returns the empty set.
  @SuppressWarnings("unchecked") // the empty set contains no key
  public static <K extends Comparable<K>> SortedKeys<K> empty() {
    return (SortedKeys<K>) EMPTY;
  }

  /// Returns the set of these keys.
  public static <K extends Comparable<K>> SortedKeys<K> of(Iterable<? extends K> keys) {
    return SortedKeys.<K>empty().withAll(keys);
  }

  /// Returns the number of keys.
  public int size() {
    return table.size();
  }

  public boolean isEmpty() {
    return table.isEmpty();
  }

  public boolean contains(K key) {
    return table.contains(key);
  }

  /// Returns this set with the key added; this object if it contains the key.
  public SortedKeys<K> with(K key) {
    return table.contains(key) ? this : new SortedKeys<>(table.with(key, key));
  }

  /// Returns this set with the keys added.
  public SortedKeys<K> withAll(Iterable<? extends K> keys) {
    SortedKeys<K> all = this;
    for (K key : keys) {
      all = all.with(key);
    }
    return all;
  }

  /// Returns this set without the key; this object if it does not contain the key.
  public SortedKeys<K> without(K key) {
    SortedTable<K, K> rest = table.without(key);
    return rest.size() == table.size() ? this : new SortedKeys<>(rest);
  }

  /// Returns the keys in order, as a view without a copy.
  public List<K> asList() {
    return table.keys();
  }

  /// Iterates over the keys in order.
  @Override
  public Iterator<K> iterator() {
    return table.iterator();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SortedKeys<?> that && table.equals(that.table);
  }

  @Override
  public int hashCode() {
    return table.keys().hashCode();
  }

  @Override
  public String toString() {
    return table.keys().toString();
  }
}
