package dev.muster.core.collect;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
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

  private final @Nullable Branch<K, V> root;

  private SortedTable(@Nullable Branch<K, V> root) {
    this.root = root;
  }

  /// The table without entries.
  @SuppressWarnings("unchecked") // an empty table holds no key and no value of any type
  public static <K extends Comparable<K>, V> SortedTable<K, V> empty() {
    return (SortedTable<K, V>) EMPTY;
  }

  /// The number of entries.
  public int size() {
    return sizeOf(root);
  }

  public boolean isEmpty() {
    return root == null;
  }

  /// The value under the key, if any.
  public Optional<V> get(K key) {
    return Optional.ofNullable(find(key));
  }

  public boolean contains(K key) {
    return find(key) != null;
  }

  private @Nullable V find(K key) {
    Branch<K, V> at = root;
    while (at != null) {
      int side = key.compareTo(at.key);
      if (side == 0) {
        return at.value;
      }
      at = side < 0 ? at.left : at.right;
    }
    return null;
  }

  /// This table with the key set to the value; this very table when it already holds that same
  /// object.
  public SortedTable<K, V> with(K key, V value) {
    Branch<K, V> after = insert(root, key, value);
    return after == root ? this : new SortedTable<>(after);
  }

  /// This table without the key; this very table when the key is absent.
  public SortedTable<K, V> without(K key) {
    return contains(key) ? new SortedTable<>(remove(root, key)) : this;
  }

  /// This table with the value under the key replaced by what the function makes of the old one
  /// (absent at first); an empty result removes the key.
  public SortedTable<K, V> update(K key, BiFunction<K, Optional<V>, Optional<V>> change) {
    return change.apply(key, get(key)).map(value -> with(key, value)).orElseGet(() -> without(key));
  }

  /// The values in key order, as a list.
  public List<V> values() {
    List<V> values = new ArrayList<>(size());
    forEach(values::add);
    return values;
  }

  /// The keys in order, as a list.
  public List<K> keys() {
    List<K> keys = new ArrayList<>(size());
    for (var walk = new Walk<>(root); walk.hasNext(); ) {
      keys.add(walk.nextBranch().key);
    }
    return keys;
  }

  /// The first value in key order that satisfies the condition.
  public Optional<V> first(Predicate<? super V> condition) {
    for (V value : this) {
      if (condition.test(value)) {
        return Optional.of(value);
      }
    }
    return Optional.empty();
  }

  public boolean any(Predicate<? super V> condition) {
    return first(condition).isPresent();
  }

  /// How many values satisfy the condition.
  public int count(Predicate<? super V> condition) {
    int count = 0;
    for (V value : this) {
      count += condition.test(value) ? 1 : 0;
    }
    return count;
  }

  /// Whether some key holds another object here than in the earlier table, and the two satisfy the
  /// condition. What both tables share is skipped: after few changes this costs O(log n) for each.
  public boolean anyChanged(SortedTable<K, V> earlier, BiPredicate<V, V> condition) {
    return switch (compare(earlier.root, root, condition)) {
      case FOUND -> true;
      case NONE -> false;
      case OTHER_SHAPE ->
          keys().stream().anyMatch(key -> isChanged(earlier.find(key), find(key), condition));
    };
  }

  /// The values here whose key holds another object in the earlier table, the two satisfying the
  /// condition, or none there; in key order. What both tables share is skipped.
  public List<V> changed(SortedTable<K, V> earlier, BiPredicate<V, V> condition) {
    List<V> found = new ArrayList<>();
    collectChanged(earlier, root, earlier.root, condition, found);
    return found;
  }

  /// @param old the subtree of the earlier table where this one is expected; null when unknown
  private static <K extends Comparable<K>, V> void collectChanged(
      SortedTable<K, V> earlier,
      @Nullable Branch<K, V> now,
      @Nullable Branch<K, V> old,
      BiPredicate<V, V> condition,
      List<V> found) {
    if (now == null || now == old) {
      return;
    }
    Branch<K, V> twin = old != null && old.key.equals(now.key) ? old : null;
    V before = twin == null ? earlier.find(now.key) : twin.value;
    collectChanged(earlier, now.left, twin == null ? null : twin.left, condition, found);
    if (before == null || isChanged(before, now.value, condition)) {
      found.add(now.value);
    }
    collectChanged(earlier, now.right, twin == null ? null : twin.right, condition, found);
  }

  private enum Comparison {
    NONE,
    FOUND,
    OTHER_SHAPE
  }

  private static <K extends Comparable<K>, V> Comparison compare(
      @Nullable Branch<K, V> old, @Nullable Branch<K, V> now, BiPredicate<V, V> condition) {
    if (old == now) {
      return Comparison.NONE;
    }
    if (old == null || now == null || !old.key.equals(now.key)) {
      return Comparison.OTHER_SHAPE;
    }
    if (isChanged(old.value, now.value, condition)) {
      return Comparison.FOUND;
    }
    Comparison left = compare(old.left, now.left, condition);
    return left == Comparison.NONE ? compare(old.right, now.right, condition) : left;
  }

  private static <V> boolean isChanged(
      @Nullable V old, @Nullable V now, BiPredicate<V, V> condition) {
    return old != null && now != null && old != now && condition.test(old, now);
  }

  /// Walks the values in key order.
  @Override
  public Iterator<V> iterator() {
    return new Walk<>(root);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SortedTable<?, ?> that && (root == that.root || hasSameEntries(that));
  }

  private boolean hasSameEntries(SortedTable<?, ?> that) {
    return size() == that.size() && keys().equals(that.keys()) && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return 31 * keys().hashCode() + values().hashCode();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    for (var walk = new Walk<>(root); walk.hasNext(); ) {
      Branch<K, V> at = walk.nextBranch();
      text.append(text.length() > 1 ? ", " : "").append(at.key).append('=').append(at.value);
    }
    return text.append('}').toString();
  }

  /// One entry with the smaller keys to its left and the greater ones to its right.
  private record Branch<K extends Comparable<K>, V>(
      K key,
      V value,
      @Nullable Branch<K, V> left,
      @Nullable Branch<K, V> right,
      int height,
      int size) {

    static <K extends Comparable<K>, V> Branch<K, V> of(
        K key, V value, @Nullable Branch<K, V> left, @Nullable Branch<K, V> right) {
      int height = 1 + Math.max(heightOf(left), heightOf(right));
      return new Branch<>(key, value, left, right, height, 1 + sizeOf(left) + sizeOf(right));
    }

    Branch<K, V> withLeft(@Nullable Branch<K, V> replaced) {
      return replaced == left ? this : balanced(key, value, replaced, right);
    }

    Branch<K, V> withRight(@Nullable Branch<K, V> replaced) {
      return replaced == right ? this : balanced(key, value, left, replaced);
    }
  }

  private static int heightOf(@Nullable Branch<?, ?> branch) {
    return branch == null ? 0 : branch.height;
  }

  private static int sizeOf(@Nullable Branch<?, ?> branch) {
    return branch == null ? 0 : branch.size;
  }

  private static <K extends Comparable<K>, V> Branch<K, V> insert(
      @Nullable Branch<K, V> at, K key, V value) {
    if (at == null) {
      return Branch.of(key, value, null, null);
    }
    int side = key.compareTo(at.key);
    if (side == 0) {
      return value == at.value
          ? at
          : new Branch<>(at.key, value, at.left, at.right, at.height, at.size);
    }
    return side < 0
        ? at.withLeft(insert(at.left, key, value))
        : at.withRight(insert(at.right, key, value));
  }

  private static <K extends Comparable<K>, V> @Nullable Branch<K, V> remove(
      @Nullable Branch<K, V> at, K key) {
    if (at == null) {
      return null;
    }
    int side = key.compareTo(at.key);
    if (side != 0) {
      return side < 0 ? at.withLeft(remove(at.left, key)) : at.withRight(remove(at.right, key));
    }
    if (at.left == null || at.right == null) {
      return at.left == null ? at.right : at.left;
    }
    Branch<K, V> next = smallest(at.right);
    return balanced(next.key, next.value, at.left, remove(at.right, next.key));
  }

  private static <K extends Comparable<K>, V> Branch<K, V> smallest(Branch<K, V> from) {
    Branch<K, V> at = from;
    while (at.left != null) {
      at = at.left;
    }
    return at;
  }

  /// A branch over two subtrees whose heights differ by at most two, rotated where they do.
  private static <K extends Comparable<K>, V> Branch<K, V> balanced(
      K key, V value, @Nullable Branch<K, V> left, @Nullable Branch<K, V> right) {
    int lean = heightOf(left) - heightOf(right);
    if (lean > 1 && left != null) {
      Branch<K, V> up = heightOf(left.left) >= heightOf(left.right) ? left : rotatedLeft(left);
      return Branch.of(up.key, up.value, up.left, Branch.of(key, value, up.right, right));
    }
    if (lean < -1 && right != null) {
      Branch<K, V> up = heightOf(right.right) >= heightOf(right.left) ? right : rotatedRight(right);
      return Branch.of(up.key, up.value, Branch.of(key, value, left, up.left), up.right);
    }
    return Branch.of(key, value, left, right);
  }

  private static <K extends Comparable<K>, V> Branch<K, V> rotatedLeft(Branch<K, V> at) {
    Branch<K, V> up = at.right;
    return up == null
        ? at
        : Branch.of(up.key, up.value, Branch.of(at.key, at.value, at.left, up.left), up.right);
  }

  private static <K extends Comparable<K>, V> Branch<K, V> rotatedRight(Branch<K, V> at) {
    Branch<K, V> up = at.left;
    return up == null
        ? at
        : Branch.of(up.key, up.value, up.left, Branch.of(at.key, at.value, up.right, at.right));
  }

  /// In-order walk with an explicit stack, at most as deep as the tree is high.
  private static final class Walk<K extends Comparable<K>, V> implements Iterator<V> {
    private final List<Branch<K, V>> stack = new ArrayList<>();

    Walk(@Nullable Branch<K, V> root) {
      push(root);
    }

    private void push(@Nullable Branch<K, V> from) {
      for (Branch<K, V> at = from; at != null; at = at.left) {
        stack.add(at);
      }
    }

    @Override
    public boolean hasNext() {
      return !stack.isEmpty();
    }

    @Override
    public V next() {
      return nextBranch().value;
    }

    Branch<K, V> nextBranch() {
      if (stack.isEmpty()) {
        throw new NoSuchElementException("the table has no further entry");
      }
      Branch<K, V> at = stack.removeLast();
      push(at.right);
      return at;
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
