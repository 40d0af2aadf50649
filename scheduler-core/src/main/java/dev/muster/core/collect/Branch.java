package dev.muster.core.collect;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The tree below a [SortedTable].
///
/// One entry with the smaller keys to its left and the greater ones to its right, balanced: the
/// heights of the two sides differ by at most one.
@SuppressWarnings("ReferenceEquality") // an unchanged subtree is known by being the same object
record Branch<K extends Comparable<K>, V>(
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

  /// The branch of this key, null when it is not below.
  static <K extends Comparable<K>, V> @Nullable Branch<K, V> find(
      @Nullable Branch<K, V> from, K key) {
    Branch<K, V> at = from;
    while (at != null) {
      int side = key.compareTo(at.key);
      if (side == 0) {
        return at;
      }
      at = side < 0 ? at.left : at.right;
    }
    return null;
  }

  /// The branch of the entry with so many entries before it.
  Branch<K, V> at(int index) {
    int before = sizeOf(left);
    if (index == before) {
      return this;
    }
    Branch<K, V> side = index < before ? left : right;
    if (side == null) {
      throw new IndexOutOfBoundsException(
          "The table has no entry with %d before it.".formatted(index));
    }
    return side.at(index < before ? index : index - before - 1);
  }

  /// Visits the values below in key order.
  void visit(Consumer<? super V> visitor) {
    if (left != null) {
      left.visit(visitor);
    }
    visitor.accept(value);
    if (right != null) {
      right.visit(visitor);
    }
  }

  /// The first branch in key order whose value satisfies the condition, null when there is none.
  static <K extends Comparable<K>, V> @Nullable Branch<K, V> first(
      @Nullable Branch<K, V> from, Predicate<? super V> condition) {
    if (from == null) {
      return null;
    }
    Branch<K, V> before = first(from.left, condition);
    if (before != null) {
      return before;
    }
    return condition.test(from.value) ? from : first(from.right, condition);
  }

  static int heightOf(@Nullable Branch<?, ?> branch) {
    return branch == null ? 0 : branch.height;
  }

  static int sizeOf(@Nullable Branch<?, ?> branch) {
    return branch == null ? 0 : branch.size;
  }

  static <K extends Comparable<K>, V> Branch<K, V> insert(
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

  static <K extends Comparable<K>, V> @Nullable Branch<K, V> remove(
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
}
