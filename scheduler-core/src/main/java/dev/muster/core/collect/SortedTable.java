package dev.muster.core.collect;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// A persistent map in key order: every change gives a new table that shares all but O(log n) nodes
/// with the old one, so an image of the whole cluster costs nothing to keep and nothing to fork.
///
/// Goals: immutable; iteration in key order whatever the order of insertion, so that equal facts
/// give equal decisions; a change costs O(log n) time and memory however large the cluster.
///
/// Algorithm: an AVL tree with path copying (Adelson-Velsky & Landis 1962; Driscoll et al. 1989).
/// The heights of two siblings differ by at most one, so 100,000 keys lie at most 24 deep.
///
/// @param <K> the key, ordered by its natural order, which must agree with `equals`
/// @param <V> the value
@SuppressWarnings(
    "ReferenceEquality") // an unchanged subtree is recognised by being the same object
public final class SortedTable<K extends Comparable<K>, V> implements Iterable<V> {
  private static final SortedTable<?, ?> EMPTY = new SortedTable<>(null);

  /// Below this height a search is as cheap as remembering what it found.
  private static final int HIGH = 4;

  private final @Nullable AvlNode<K, V> root;

  /// What was asked for last. Most questions of a turn are about one gang. Threads may overwrite
  /// each other's: whatever is read here is true of this table, which never changes.
  private @Nullable Answer<K, V> last;

  private SortedTable(@Nullable AvlNode<K, V> root) {
    this.root = root;
  }

  private record Answer<K, V>(K key, Optional<V> value) {}

  /// The table without entries.
  @SuppressWarnings("unchecked") // an empty table holds no key and no value of any type
  public static <K extends Comparable<K>, V> SortedTable<K, V> empty() {
    return (SortedTable<K, V>) EMPTY;
  }

  /// The number of entries.
  public int size() {
    return AvlNode.sizeOf(root);
  }

  public boolean isEmpty() {
    return root == null;
  }

  /// The value under the key, if any.
  public Optional<V> get(K key) {
    Answer<K, V> known = last;
    if (known != null && known.key.equals(key)) {
      return known.value;
    }
    AvlNode<K, V> found = AvlNode.find(root, key);
    Optional<V> value = found == null ? Optional.empty() : Optional.of(found.value());
    remember(key, value);
    return value;
  }

  private void remember(K key, Optional<V> value) {
    if (AvlNode.heightOf(root) >= HIGH) {
      last = new Answer<>(key, value);
    }
  }

  public boolean contains(K key) {
    return get(key).isPresent();
  }

  /// This table with the key set to the value; this very table when it already holds that same
  /// object.
  public SortedTable<K, V> with(K key, V value) {
    AvlNode<K, V> after = AvlNode.insert(root, key, value);
    if (after == root) {
      return this;
    }
    SortedTable<K, V> table = new SortedTable<>(after);
    table.remember(key, Optional.of(value));
    return table;
  }

  /// This table with the key set to the value, or without the key if there is none.
  public SortedTable<K, V> with(K key, Optional<V> value) {
    return value.isPresent() ? with(key, value.get()) : without(key);
  }

  /// This table without the key; this very table when the key is absent.
  public SortedTable<K, V> without(K key) {
    AvlNode<K, V> after = AvlNode.remove(root, key);
    return after == root ? this : new SortedTable<>(after);
  }

  /// This table with the value under the key replaced by what the function makes of the old one
  /// (absent at first); an empty result removes the key.
  public SortedTable<K, V> update(K key, BiFunction<K, Optional<V>, Optional<V>> change) {
    return with(key, change.apply(key, get(key)));
  }

  /// The values in key order: a view, made without copying.
  public List<V> values() {
    return new View<>(this, AvlNode::value);
  }

  /// The keys in order: a view, made without copying.
  public List<K> keys() {
    return new View<>(this, AvlNode::key);
  }

  /// One key and its value.
  public record Entry<K, V>(K key, V value) {}

  /// The keys and their values in key order: a view, made without copying.
  public List<Entry<K, V>> entries() {
    return new View<>(this, at -> new Entry<>(at.key(), at.value()));
  }

  /// The first value in key order that satisfies the condition.
  public Optional<V> first(Predicate<? super V> condition) {
    AvlNode<K, V> found = AvlNode.first(root, condition);
    return found == null ? Optional.empty() : Optional.of(found.value());
  }

  public boolean any(Predicate<? super V> condition) {
    return AvlNode.first(root, condition) != null;
  }

  /// How many values satisfy the condition.
  public int count(Predicate<? super V> condition) {
    int count = 0;
    for (V value : this) {
      count += condition.test(value) ? 1 : 0;
    }
    return count;
  }

  @Override
  public void forEach(Consumer<? super V> visitor) {
    if (root != null) {
      root.visit(visitor);
    }
  }

  /// What two tables hold under one key where it is not the same object.
  ///
  /// @param key the key
  /// @param before what the earlier table holds, if anything
  /// @param now what this table holds, if anything
  public record Difference<K, V>(K key, Optional<V> before, Optional<V> now) {}

  /// All that differs from an earlier table, in key order. What both tables share is skipped: after
  /// few changes this costs O(log n) for each.
  public List<Difference<K, V>> differences(SortedTable<K, V> earlier) {
    List<Difference<K, V>> found = new ArrayList<>();
    var comparison = new TreeDiff<>(earlier.root, root);
    for (var next = comparison.next(); next != null; next = comparison.next()) {
      found.add(next);
    }
    return found;
  }

  /// The values that have one of the marks, in key order. Others are passed over a subtree at a
  /// time: each value found costs O(log n), however many are not sought.
  ///
  /// @param sought some of the bits 0 to 14
  /// @param marks of a value, at least one of these bits; the same function whenever this table is
  ///   asked, or one that was made from it
  public Iterable<V> marked(int sought, ToIntFunction<? super V> marks) {
    return new Marked<>(root, sought, marks);
  }

  /// Walks the values that have one of the marks; asked for with each search.
  private record Marked<K extends Comparable<K>, V>(
      @Nullable AvlNode<K, V> root, int sought, ToIntFunction<? super V> marks)
      implements Iterable<V> {
    @Override
    public Iterator<V> iterator() {
      return new MarkedIterator<>(root, sought, marks);
    }
  }

  /// Walks the values in key order.
  @Override
  public Iterator<V> iterator() {
    return new InOrderIterator<>(root, AvlNode::value);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SortedTable<?, ?> that && (root == that.root || hasSameEntries(that));
  }

  @SuppressWarnings(
      "unchecked") // the keys are of one class, and values are only asked for equality
  private boolean hasSameEntries(SortedTable<?, ?> that) {
    if (root == null
        || that.root == null
        || size() != that.size()
        || root.key().getClass() != that.root.key().getClass()) {
      return false;
    }
    var comparison = new TreeDiff<>(((SortedTable<K, V>) that).root, root);
    for (var next = comparison.next(); next != null; next = comparison.next()) {
      if (!next.before().equals(next.now())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    return 31 * keys().hashCode() + values().hashCode();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    for (var walk = new InOrderIterator<>(root, Function.identity()); walk.hasNext(); ) {
      AvlNode<K, V> at = walk.next();
      text.append(text.length() > 1 ? ", " : "").append(at.key()).append('=').append(at.value());
    }
    return text.append('}').toString();
  }

  /// One part of each entry as a list.
  private static final class View<K extends Comparable<K>, V, E> extends AbstractList<E> {
    private final SortedTable<K, V> table;
    private final Function<AvlNode<K, V>, E> part;

    View(SortedTable<K, V> table, Function<AvlNode<K, V>, E> part) {
      this.table = table;
      this.part = part;
    }

    @Override
    public E get(int index) {
      AvlNode<K, V> root = table.root;
      if (root == null) {
        throw new IndexOutOfBoundsException("The table is empty.");
      }
      return part.apply(root.at(index));
    }

    @Override
    public int size() {
      return table.size();
    }

    @Override
    public Iterator<E> iterator() {
      return new InOrderIterator<>(table.root, part);
    }
  }

  /// Collects values into a table by the key each carries; a later value replaces an earlier one.
  public static <K extends Comparable<K>, V> SortedTable<K, V> of(
      Iterable<? extends V> values, Function<? super V, K> key) {
    SortedTable<K, V> table = empty();
    for (V value : values) {
      table = table.with(key.apply(value), value);
    }
    return table;
  }
}
