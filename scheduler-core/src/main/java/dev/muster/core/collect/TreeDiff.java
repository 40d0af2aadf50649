package dev.muster.core.collect;

import dev.muster.core.collect.SortedTable.Difference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Finds the differences between two trees, one of which was made from the other.
///
/// *Goals:* all differences, in key order. Time grows with the number of changes, not of entries.
///
/// *Algorithm:* both trees are read in key order at once. Each is a list of the pieces still ahead:
/// whole subtrees and single entries. If both lists start with one shared subtree, it is skipped.
/// Otherwise the higher of the two pieces is cut into its left side, its entry and its right side.
/// So shared subtrees are found as a whole even where rotations moved them.
///
/// *Example:* `B(A, C)` becomes `B(A, C(-, D))` when D comes. The roots differ and are cut. The two
/// A are one object and are skipped. The entries B are compared. The two C are cut and compared. D
/// is new.
@SuppressWarnings("ReferenceEquality") // a shared subtree is one object
final class TreeDiff<K extends Comparable<K>, V> {
  private final List<Subtree<K, V>> before = new ArrayList<>();
  private final List<Subtree<K, V>> now = new ArrayList<>();

  TreeDiff(@Nullable AvlNode<K, V> before, @Nullable AvlNode<K, V> now) {
    push(before, this.before);
    push(now, this.now);
  }

  /// A piece of a tree that is still ahead.
  ///
  /// @param top root of the subtree, or the node of the entry
  /// @param height height of the subtree; 0 for a single entry
  private record Subtree<K extends Comparable<K>, V>(AvlNode<K, V> top, int height) {}

  private static <K extends Comparable<K>, V> void push(
      @Nullable AvlNode<K, V> tree, List<Subtree<K, V>> ahead) {
    if (tree != null) {
      ahead.add(new Subtree<>(tree, tree.height()));
    }
  }

  /// Returns the next difference, or null after the last one.
  @Nullable Difference<K, V> next() {
    while (!before.isEmpty() || !now.isEmpty()) {
      int old = before.isEmpty() ? 0 : before.getLast().height();
      int young = now.isEmpty() ? 0 : now.getLast().height();
      if (isShared()) {
        before.removeLast();
        now.removeLast();
      } else if (old > 0 || young > 0) {
        cut(old >= young ? before : now);
      } else {
        Difference<K, V> found = entry();
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private boolean isShared() {
    return !before.isEmpty()
        && !now.isEmpty()
        && before.getLast().top() == now.getLast().top()
        && before.getLast().height() == now.getLast().height();
  }

  private static <K extends Comparable<K>, V> void cut(List<Subtree<K, V>> ahead) {
    AvlNode<K, V> tree = ahead.removeLast().top();
    push(tree.right(), ahead);
    ahead.add(new Subtree<>(tree, 0));
    push(tree.left(), ahead);
  }

  /// Takes the smaller of the two entries that come next, or both if their keys are equal.
  private @Nullable Difference<K, V> entry() {
    int side =
        before.isEmpty()
            ? 1
            : now.isEmpty()
                ? -1
                : before.getLast().top().key().compareTo(now.getLast().top().key());
    Optional<AvlNode<K, V>> old =
        side <= 0 ? Optional.of(before.removeLast().top()) : Optional.empty();
    Optional<AvlNode<K, V>> young =
        side >= 0 ? Optional.of(now.removeLast().top()) : Optional.empty();
    if (side == 0 && old.orElseThrow().value() == young.orElseThrow().value()) {
      return null;
    }
    K key = young.or(() -> old).orElseThrow().key();
    return new Difference<>(key, old.map(AvlNode::value), young.map(AvlNode::value));
  }
}
