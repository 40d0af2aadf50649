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

/// A persistent map in key order: a change returns a new table and leaves the old one unchanged.
///
/// Both tables share all but O(log n) nodes. So an image of the whole cluster costs nothing to keep
/// and nothing to fork.
///
/// *Goals:* immutable. Iteration in key order, whatever the order of insertion, so that equal facts
/// give equal decisions. A change costs O(log n) time and memory, however large the cluster.
///
/// *Algorithm:* an AVL tree with path copying (Adelson-Velsky & Landis 1962; Driscoll et al. 1989).
/// The heights of two siblings differ by at most one, so 100,000 keys are at most 24 deep.
///
/// @param <K> type of the keys, ordered by its natural order, which must agree with `equals`
/// @param <V> type of the values
@SuppressWarnings("ReferenceEquality") // an unchanged subtree is one object
public final class SortedTable<K extends Comparable<K>, V> implements Iterable<V> {
  private static final SortedTable<?, ?> EMPTY = new SortedTable<>(null);

  /// The height from which answers are remembered; below it a search is as cheap.
  private static final int HIGH = 4;

  private final @Nullable AvlNode<K, V> root;

  /// The last key read, with its value.
  ///
  /// Most reads of a scheduling cycle are about one gang. Threads may overwrite each other's
  /// answer. Any answer read here is true, since the table never changes.
  private @Nullable Answer<K, V> last;

  private SortedTable(@Nullable AvlNode<K, V> root) {
    this.root = root;
  }

  private record Answer<K, V>(K key, Optional<V> value) {}

  /// Returns the empty table.
  @SuppressWarnings("unchecked") // the empty table contains no key and no value
  public static <K extends Comparable<K>, V> SortedTable<K, V> empty() {
    return (SortedTable<K, V>) EMPTY;
  }

  /// Returns the number of entries.
  public int size() {
    return AvlNode.sizeOf(root);
  }

  public boolean isEmpty() {
    return root == null;
  }

  /// Returns the value of the key, if any.
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

  /// True if the key has a value that satisfies the condition.
  public boolean contains(K key, Predicate<? super V> condition) {
    Optional<V> value = get(key);
    return value.isPresent() && condition.test(value.get());
  }

  /// Returns this table with the key set to the value; this object if the key has that very value.
  public SortedTable<K, V> with(K key, V value) {
    AvlNode<K, V> after = AvlNode.insert(root, key, value);
    if (after == root) {
      return this;
    }
    SortedTable<K, V> table = new SortedTable<>(after);
    table.remember(key, Optional.of(value));
    return table;
  }

  /// Returns this table with the key set to the value, or without the key if the value is absent.
  public SortedTable<K, V> with(K key, Optional<V> value) {
    return value.isPresent() ? with(key, value.get()) : without(key);
  }

  /// Returns this table without the key; this object if the key is absent.
  public SortedTable<K, V> without(K key) {
    AvlNode<K, V> after = AvlNode.remove(root, key);
    return after == root ? this : new SortedTable<>(after);
  }

  /// Returns this table with the key's value replaced by the result of the function.
  ///
  /// The function gets the old value, or empty for a new key. An empty result removes the key.
  public SortedTable<K, V> update(K key, BiFunction<K, Optional<V>, Optional<V>> change) {
    return with(key, change.apply(key, get(key)));
  }

  /// Returns the values in key order, as a view without a copy.
  public List<V> values() {
    return new View<>(this, AvlNode::value);
  }

  /// Returns the keys in order, as a view without a copy.
  public List<K> keys() {
    return new View<>(this, AvlNode::key);
  }

  /// A key and its value.
  public record Entry<K, V>(K key, V value) {}

  /// Returns the entries in key order, as a view without a copy.
  public List<Entry<K, V>> entries() {
    return new View<>(this, at -> new Entry<>(at.key(), at.value()));
  }

  /// Returns the first value in key order that satisfies the condition.
  public Optional<V> first(Predicate<? super V> condition) {
    AvlNode<K, V> found = AvlNode.first(root, condition);
    return found == null ? Optional.empty() : Optional.of(found.value());
  }

  public boolean any(Predicate<? super V> condition) {
    return AvlNode.first(root, condition) != null;
  }

  /// Returns the number of values that satisfy the condition.
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

  /// A key with different value objects in two tables.
  ///
  /// @param key the key
  /// @param before value in the earlier table, if any
  /// @param now value in this table, if any
  public record Difference<K, V>(K key, Optional<V> before, Optional<V> now) {}

  /// Returns all differences from an earlier table, in key order.
  ///
  /// Subtrees that both tables share are skipped. After few changes this costs O(log n) for each.
  public List<Difference<K, V>> differences(SortedTable<K, V> earlier) {
    List<Difference<K, V>> found = new ArrayList<>();
    var comparison = new TreeDiff<>(earlier.root, root);
    for (var next = comparison.next(); next != null; next = comparison.next()) {
      found.add(next);
    }
    return found;
  }

  /// Returns the values that have one of the marks, in key order.
  ///
  /// Other values are skipped by whole subtrees. Each value found costs O(log n), however many
  /// others there are.
  ///
  /// @param sought some of the bits 0 to 14
  /// @param marks marks of a value, at least one of these bits; always one function for this table
  ///   and all tables made from it
  public Iterable<V> marked(int sought, ToIntFunction<? super V> marks) {
    return new Marked<>(root, sought, marks);
  }

  /// A view of the values that have one of the marks. Each iteration is a new search.
  private record Marked<K extends Comparable<K>, V>(
      @Nullable AvlNode<K, V> root, int sought, ToIntFunction<? super V> marks)
      implements Iterable<V> {
    @Override
    public Iterator<V> iterator() {
      return new MarkedIterator<>(root, sought, marks);
    }
  }

  /// Iterates over the values in key order.
  @Override
  public Iterator<V> iterator() {
    return new InOrderIterator<>(root, AvlNode::value);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SortedTable<?, ?> that && (root == that.root || hasSameEntries(that));
  }

  @SuppressWarnings(
      "unchecked") // the keys are of one class, and values are only compared with `equals`
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

  /// One component of each entry as a list.
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
        throw new IndexOutOfBoundsException(
            "No entry at index %d: the table is empty.".formatted(index));
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

  /// Returns a table of the values, each under its own key. A later value replaces an earlier one.
  public static <K extends Comparable<K>, V> SortedTable<K, V> of(
      Iterable<? extends V> values, Function<? super V, K> key) {
    SortedTable<K, V> table = empty();
    for (V value : values) {
      table = table.with(key.apply(value), value);
    }
    return table;
  }
}
