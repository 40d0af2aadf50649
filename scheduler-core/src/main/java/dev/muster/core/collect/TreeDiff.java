package dev.muster.core.collect;

import dev.muster.core.collect.SortedTable.Difference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Finds what differs between two trees of which one was made from the other.
///
/// Goals: all differences, in key order; time by the number of changes and not of entries.
///
/// Algorithm: both trees are walked in key order at once, each as a list of parts that are still
/// ahead: whole subtrees and single entries. Where both lists start with the same subtree, it is
/// skipped; else the higher of the two is cut into its left side, its entry, its right side. So
/// what the trees share is met as a whole even where rotations hung it elsewhere.
///
/// Example: `B(A, C)` and, after D came, `B(A, C(-, D))`. The roots differ and are cut; the two A
/// are one object and skipped; the entries B are compared; the two C are cut, compared; D is new.
@SuppressWarnings("ReferenceEquality") // what is shared is the same object
final class TreeDiff<K extends Comparable<K>, V> {
  private final List<Subtree<K, V>> before = new ArrayList<>();
  private final List<Subtree<K, V>> now = new ArrayList<>();

  TreeDiff(@Nullable AvlNode<K, V> before, @Nullable AvlNode<K, V> now) {
    push(before, this.before);
    push(now, this.now);
  }

  /// @param top the subtree, or the branch of the entry
  /// @param height of the subtree; 0 for a single entry
  private record Subtree<K extends Comparable<K>, V>(AvlNode<K, V> top, int height) {}

  private static <K extends Comparable<K>, V> void push(
      @Nullable AvlNode<K, V> tree, List<Subtree<K, V>> ahead) {
    if (tree != null) {
      ahead.add(new Subtree<>(tree, tree.height()));
    }
  }

  /// The next difference, null when there is none any more.
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

  /// Takes the smaller of the two entries that come next, or both where they have one key.
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
