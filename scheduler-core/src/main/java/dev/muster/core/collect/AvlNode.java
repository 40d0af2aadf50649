package dev.muster.core.collect;

import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// One entry of the tree below a [SortedTable], with its two subtrees.
///
/// Smaller keys are on the left and greater ones on the right. The heights of the two sides differ
/// by at most one.
@SuppressWarnings("ReferenceEquality") // an unchanged subtree is one object
final class AvlNode<K extends Comparable<K>, V> {
  private final K key;
  private final V value;
  private final @Nullable AvlNode<K, V> left;
  private final @Nullable AvlNode<K, V> right;
  private final int size;
  private final byte height;

  /// The marks of all values in this subtree; 0 until first read.
  ///
  /// Threads may compute them at once, since all get an equal result.
  private short marks;

  AvlNode(K key, V value, @Nullable AvlNode<K, V> left, @Nullable AvlNode<K, V> right) {
    this.key = key;
    this.value = value;
    this.left = left;
    this.right = right;
    this.size = 1 + sizeOf(left) + sizeOf(right);
    int below = Math.max(heightOf(left), heightOf(right));
    this.height = (byte) (below + 1); // any tree that fits in memory has far fewer than 127 levels
  }

  /// Creates a copy with another value.
  private AvlNode(AvlNode<K, V> same, V value) {
    this.key = same.key;
    this.value = value;
    this.left = same.left;
    this.right = same.right;
    this.size = same.size;
    this.height = same.height;
  }

  K key() {
    return key;
  }

  V value() {
    return value;
  }

  @Nullable AvlNode<K, V> left() {
    return left;
  }

  @Nullable AvlNode<K, V> right() {
    return right;
  }

  int height() {
    return height;
  }

  /// Returns the marks of all values in this subtree.
  ///
  /// After a change they are computed only for the nodes that the change created.
  ///
  /// @param each marks of a value, at least one of the bits 0 to 14
  int marks(ToIntFunction<? super V> each) {
    if (marks == 0) {
      int all = each.applyAsInt(value);
      all |= left == null ? 0 : left.marks(each);
      all |= right == null ? 0 : right.marks(each);
      marks = (short) all;
    }
    return marks;
  }

  AvlNode<K, V> withLeft(@Nullable AvlNode<K, V> replaced) {
    return replaced == left ? this : balanced(key, value, replaced, right);
  }

  AvlNode<K, V> withRight(@Nullable AvlNode<K, V> replaced) {
    return replaced == right ? this : balanced(key, value, left, replaced);
  }

  /// Returns the node with this key, or null if there is none.
  static <K extends Comparable<K>, V> @Nullable AvlNode<K, V> find(
      @Nullable AvlNode<K, V> from, K key) {
    AvlNode<K, V> at = from;
    while (at != null) {
      int side = key.compareTo(at.key);
      if (side == 0) {
        return at;
      }
      at = side < 0 ? at.left : at.right;
    }
    return null;
  }

  /// Returns the node at this index in key order, counted from 0.
  AvlNode<K, V> at(int index) {
    int before = sizeOf(left);
    if (index == before) {
      return this;
    }
    AvlNode<K, V> side = index < before ? left : right;
    if (side == null) {
      throw new IndexOutOfBoundsException(
          "No entry at index %d of a subtree of %d entries.".formatted(index, size));
    }
    return side.at(index < before ? index : index - before - 1);
  }

  /// Visits the values of this subtree in key order.
  void visit(Consumer<? super V> visitor) {
    if (left != null) {
      left.visit(visitor);
    }
    visitor.accept(value);
    if (right != null) {
      right.visit(visitor);
    }
  }

  /// Returns the first node in key order with a value that satisfies the condition, or null.
  static <K extends Comparable<K>, V> @Nullable AvlNode<K, V> first(
      @Nullable AvlNode<K, V> from, Predicate<? super V> condition) {
    if (from == null) {
      return null;
    }
    AvlNode<K, V> before = first(from.left, condition);
    if (before != null) {
      return before;
    }
    return condition.test(from.value) ? from : first(from.right, condition);
  }

  static int heightOf(@Nullable AvlNode<?, ?> branch) {
    return branch == null ? 0 : branch.height;
  }

  static int sizeOf(@Nullable AvlNode<?, ?> branch) {
    return branch == null ? 0 : branch.size;
  }

  static <K extends Comparable<K>, V> AvlNode<K, V> insert(
      @Nullable AvlNode<K, V> at, K key, V value) {
    if (at == null) {
      return new AvlNode<>(key, value, null, null);
    }
    int side = key.compareTo(at.key);
    if (side == 0) {
      return value == at.value ? at : new AvlNode<>(at, value);
    }
    return side < 0
        ? at.withLeft(insert(at.left, key, value))
        : at.withRight(insert(at.right, key, value));
  }

  static <K extends Comparable<K>, V> @Nullable AvlNode<K, V> remove(
      @Nullable AvlNode<K, V> at, K key) {
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
    AvlNode<K, V> next = smallest(at.right);
    return balanced(next.key, next.value, at.left, remove(at.right, next.key));
  }

  private static <K extends Comparable<K>, V> AvlNode<K, V> smallest(AvlNode<K, V> from) {
    AvlNode<K, V> at = from;
    while (at.left != null) {
      at = at.left;
    }
    return at;
  }

  /// Returns a node over two subtrees, rotated if their heights differ by two.
  ///
  /// The heights must differ by at most two.
  private static <K extends Comparable<K>, V> AvlNode<K, V> balanced(
      K key, V value, @Nullable AvlNode<K, V> left, @Nullable AvlNode<K, V> right) {
    int lean = heightOf(left) - heightOf(right);
    if (lean > 1 && left != null) {
      AvlNode<K, V> up = heightOf(left.left) >= heightOf(left.right) ? left : rotatedLeft(left);
      return new AvlNode<>(up.key, up.value, up.left, new AvlNode<>(key, value, up.right, right));
    }
    if (lean < -1 && right != null) {
      AvlNode<K, V> up =
          heightOf(right.right) >= heightOf(right.left) ? right : rotatedRight(right);
      return new AvlNode<>(up.key, up.value, new AvlNode<>(key, value, left, up.left), up.right);
    }
    return new AvlNode<>(key, value, left, right);
  }

  private static <K extends Comparable<K>, V> AvlNode<K, V> rotatedLeft(AvlNode<K, V> at) {
    AvlNode<K, V> up = at.right;
    return up == null
        ? at
        : new AvlNode<>(
            up.key, up.value, new AvlNode<>(at.key, at.value, at.left, up.left), up.right);
  }

  private static <K extends Comparable<K>, V> AvlNode<K, V> rotatedRight(AvlNode<K, V> at) {
    AvlNode<K, V> up = at.left;
    return up == null
        ? at
        : new AvlNode<>(
            up.key, up.value, up.left, new AvlNode<>(at.key, at.value, up.right, at.right));
  }
}
