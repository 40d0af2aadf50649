package dev.muster.core.collect;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Iterates in key order over the values of a tree that have one of some marks.
final class MarkedIterator<K extends Comparable<K>, V> implements Iterator<V> {
  private final @Nullable AvlNode<K, V>[] stack;
  private final int sought;
  private final ToIntFunction<? super V> marks;
  private int depth;
  private @Nullable V next;

  @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no generic arrays
  MarkedIterator(@Nullable AvlNode<K, V> root, int sought, ToIntFunction<? super V> marks) {
    this.stack = new AvlNode[AvlNode.heightOf(root)];
    this.sought = sought;
    this.marks = marks;
    push(root);
    this.next = found();
  }

  private void push(@Nullable AvlNode<K, V> from) {
    AvlNode<K, V> at = from;
    while (at != null && (at.marks(marks) & sought) != 0) {
      stack[depth++] = at;
      at = at.left();
    }
  }

  private @Nullable V found() {
    while (depth > 0) {
      AvlNode<K, V> at = stack[--depth];
      if (at != null) { // always true; the null checker needs it
        push(at.right());
        if ((marks.applyAsInt(at.value()) & sought) != 0) {
          return at.value();
        }
      }
    }
    return null;
  }

  @Override
  public boolean hasNext() {
    return next != null;
  }

  @Override
  public V next() {
    V found = next;
    if (found == null) {
      throw new NoSuchElementException("The table has no further entry with one of the marks.");
    }
    next = found();
    return found;
  }
}
