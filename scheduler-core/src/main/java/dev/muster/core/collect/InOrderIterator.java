package dev.muster.core.collect;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Iterates over the entries of a tree in key order, with a stack as deep as the tree.
final class InOrderIterator<K extends Comparable<K>, V, E> implements Iterator<E> {
  private final @Nullable AvlNode<K, V>[] stack;
  private final Function<? super AvlNode<K, V>, ? extends E> part;
  private int depth;

  /// @param part component of each entry to return
  @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no generic arrays
  InOrderIterator(@Nullable AvlNode<K, V> root, Function<? super AvlNode<K, V>, ? extends E> part) {
    this.stack = new AvlNode[AvlNode.heightOf(root)];
    this.part = part;
    push(root);
  }

  private void push(@Nullable AvlNode<K, V> from) {
    for (AvlNode<K, V> at = from; at != null; at = at.left()) {
      stack[depth++] = at;
    }
  }

  @Override
  public boolean hasNext() {
    return depth > 0;
  }

  @Override
  public E next() {
    AvlNode<K, V> at = depth > 0 ? stack[--depth] : null;
    if (at == null) {
      throw new NoSuchElementException("The table has no further entry.");
    }
    push(at.right());
    return part.apply(at);
  }
}
