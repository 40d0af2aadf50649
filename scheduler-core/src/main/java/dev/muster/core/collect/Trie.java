package dev.muster.core.collect;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The tree below a [LookupTable].
///
/// A key's place is told by its hash, five bits at each level. A slot of a node is empty, or holds
/// one entry, or the node of those whose hashes agree so far; a node below the first level holds at
/// least two entries, so that equal tables have equal tries. Entries whose whole hashes are equal
/// lie side by side in a node behind the last level.
///
/// Example: A's hash begins 3, 7 and B's 3, 9: the root has one slot, 3, and below it is a node
/// with A in slot 7 and B in slot 9. Without B the root holds A itself.
@SuppressWarnings("ReferenceEquality") // an unchanged node is known by being the same object
final class Trie {
  static final Trie EMPTY = new Trie(0, 0, new Object[0]);

  private static final int BITS = 5;
  private static final int LAST = 32;

  /// The slots that hold an entry, as bits; none behind the last level.
  private final int entries;

  /// The slots that hold a node, as bits.
  private final int nodes;

  /// Key and value of each entry in order of the slots, then the nodes.
  private final Object[] content;

  private Trie(int entries, int nodes, Object[] content) {
    this.entries = entries;
    this.nodes = nodes;
    this.content = content;
  }

  /// Spread over all bits: the hashes of names that are numbered differ in the last ones alone.
  static int hash(Object key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return hash ^ hash >>> 15;
  }

  private static int bit(int hash, int shift) {
    return 1 << (hash >>> shift & 31);
  }

  /// Where the entry of the slot stands, or would.
  private int entry(int bit) {
    return 2 * Integer.bitCount(entries & bit - 1);
  }

  /// Where the node of the slot stands, or would.
  private int node(int bit) {
    return 2 * Integer.bitCount(entries) + Integer.bitCount(nodes & bit - 1);
  }

  private Trie below(int bit) {
    return (Trie) content[node(bit)];
  }

  /// The value under the key, null when there is none.
  @Nullable Object find(Object key, int hash) {
    Trie at = this;
    for (int shift = 0; shift < LAST; shift += BITS) {
      int bit = bit(hash, shift);
      if ((at.nodes & bit) == 0) {
        int entry = at.entry(bit);
        return (at.entries & bit) != 0 && at.content[entry].equals(key)
            ? at.content[entry + 1]
            : null;
      }
      at = at.below(bit);
    }
    int beside = at.beside(key);
    return beside < 0 ? null : at.content[beside + 1];
  }

  /// Where the key stands behind the last level; less than 0 when it does not.
  private int beside(Object key) {
    int at = content.length - 2;
    while (at >= 0 && !content[at].equals(key)) {
      at -= 2;
    }
    return at;
  }

  // ---- With one more ----

  Trie with(Object key, Object value, int hash, int shift) {
    if (shift >= LAST) {
      int beside = beside(key);
      return beside < 0
          ? new Trie(0, 0, with(content.length, key, value))
          : new Trie(0, 0, replaced(beside + 1, value));
    }
    int bit = bit(hash, shift);
    if ((nodes & bit) != 0) {
      int at = node(bit);
      Trie below = below(bit).with(key, value, hash, shift + BITS);
      return new Trie(entries, nodes, replaced(at, below));
    }
    int at = entry(bit);
    if ((entries & bit) == 0) {
      return new Trie(entries | bit, nodes, with(at, key, value));
    }
    Object old = content[at];
    if (old.equals(key)) {
      return new Trie(entries, nodes, replaced(at + 1, value));
    }
    Trie one = EMPTY.with(old, content[at + 1], hash(old), shift + BITS);
    Trie both = one.with(key, value, hash, shift + BITS);
    Trie rest = left(bit);
    return new Trie(rest.entries, nodes | bit, rest.with(rest.node(bit), both));
  }

  /// Without the entry of the slot.
  private Trie left(int bit) {
    return new Trie(entries & ~bit, nodes, without(entry(bit), 2));
  }

  // ---- With one less ----

  /// Without the key, which is there.
  Trie without(Object key, int hash, int shift) {
    if (shift >= LAST) {
      return new Trie(0, 0, without(beside(key), 2));
    }
    int bit = bit(hash, shift);
    if ((entries & bit) != 0) {
      return left(bit);
    }
    Trie below = below(bit).without(key, hash, shift + BITS);
    Object[] rest = below.content;
    if (rest.length > 2 || below.nodes != 0) {
      return new Trie(entries, nodes, replaced(node(bit), below));
    }
    Trie bare = new Trie(entries, nodes & ~bit, without(node(bit), 1));
    Object[] up = bare.with(bare.entry(bit), rest[0], rest[1]);
    return new Trie(entries | bit, bare.nodes, up);
  }

  // ---- The content, changed ----

  private Object[] replaced(int at, Object other) {
    Object[] after = Arrays.copyOf(content, content.length); // clone() is slow in a young JVM
    after[at] = other;
    return after;
  }

  private Object[] with(int at, Object more) {
    Object[] after = Arrays.copyOf(content, content.length + 1);
    System.arraycopy(content, at, after, at + 1, content.length - at);
    after[at] = more;
    return after;
  }

  private Object[] with(int at, Object key, Object value) {
    Object[] after = Arrays.copyOf(content, content.length + 2);
    System.arraycopy(content, at, after, at + 2, content.length - at);
    after[at] = key;
    after[at + 1] = value;
    return after;
  }

  private Object[] without(int at, int less) {
    Object[] after = Arrays.copyOf(content, content.length - less);
    System.arraycopy(content, at + less, after, at, after.length - at);
    return after;
  }

  // ---- All of them ----

  /// Visits all entries, in no order.
  void visit(BiConsumer<Object, Object> visitor) {
    int first = content.length - Integer.bitCount(nodes);
    for (int i = 0; i < first; i += 2) {
      visitor.accept(content[i], content[i + 1]);
    }
    for (int i = first; i < content.length; i++) {
      ((Trie) content[i]).visit(visitor);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Trie that
        && (this == that
            || (entries == that.entries
                && nodes == that.nodes
                && (isBehindLast() ? holdsAllOf(that) : Arrays.equals(content, that.content))));
  }

  private boolean isBehindLast() {
    return entries == 0 && nodes == 0;
  }

  /// Entries behind the last level stand in the order in which they came.
  private boolean holdsAllOf(Trie that) {
    boolean all = content.length == that.content.length;
    for (int i = 0; i < content.length && all; i += 2) {
      int at = that.beside(content[i]);
      all = at >= 0 && content[i + 1].equals(that.content[at + 1]);
    }
    return all;
  }

  @Override
  public int hashCode() {
    return 31 * entries + nodes;
  }
}
