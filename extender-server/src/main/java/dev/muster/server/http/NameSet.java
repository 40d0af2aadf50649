package dev.muster.server.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A set of names that is asked with bytes of a request, so that no name need be decoded. Its names
/// are those of the cluster, never of a request: a caller cannot make it slow.
///
/// Algorithm: open addressing with linear probing, at most a quarter full. Hashes stand apart from
/// the names: who asks for a name that is not there seldom reads more than one of them.
final class NameSet {
  static final NameSet EMPTY = of(List.of());

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  static final long SPREAD = 0x9E3779B97F4A7C15L; // 2^64 / golden ratio
  private static final int FREE = 0;

  private final int[] hashes;
  private final byte[] @Nullable [] names;

  private NameSet(int size) {
    hashes = new int[Integer.highestOneBit(Math.max(1, size)) << 3];
    names = new byte[hashes.length][];
  }

  static NameSet of(Collection<String> names) {
    NameSet set = new NameSet(names.size());
    names.forEach(name -> set.add(name.getBytes(StandardCharsets.UTF_8)));
    return set;
  }

  private void add(byte[] name) {
    int hash = hash(name, 0, name.length);
    int slot = slot(name, 0, name.length, hash);
    hashes[slot] = hash;
    names[slot] = name;
  }

  boolean contains(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return contains(bytes, 0, bytes.length);
  }

  /// Whether these bytes, in UTF-8, are one of the names.
  boolean contains(byte[] text, int from, int to) {
    return contains(text, from, to, hash(text, from, to));
  }

  /// The same for who worked out the [hash][#ended] while passing over the bytes.
  boolean contains(byte[] text, int from, int to, int hash) {
    return hashes[slot(text, from, to, hash)] != FREE;
  }

  /// The slot of the name, or the free one where it would be.
  private int slot(byte[] text, int from, int to, int hash) {
    int slot = hash & (hashes.length - 1);
    for (int there = hashes[slot]; there != FREE; there = hashes[slot]) {
      if (there == hash && isAt(slot, text, from, to)) {
        return slot;
      }
      slot = (slot + 1) & (hashes.length - 1);
    }
    return slot;
  }

  private boolean isAt(int slot, byte[] text, int from, int to) {
    byte[] name = names[slot];
    return name != null && Arrays.equals(name, 0, name.length, text, from, to);
  }

  private static int hash(byte[] text, int from, int to) {
    long sum = 0;
    long power = SPREAD;
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      sum += (long) WORD.get(text, at) * power;
      power *= SPREAD;
    }
    return at == to ? ended(sum) : ended(sum + last(text, from, to, at) * power);
  }

  /// The word that begins there, at least a byte and less than eight before the end.
  private static long last(byte[] text, int from, int to, int at) {
    if (to - from >= Long.BYTES) {
      return (long) WORD.get(text, to - Long.BYTES) >>> ((Long.BYTES - (to - at)) << 3);
    }
    long word = 0;
    for (int i = to - 1; i >= at; i--) {
      word = (word << Byte.SIZE) | (text[i] & 0xff);
    }
    return word;
  }

  /// The hash, given the sum of all words of a name. Each counts by a power of [#SPREAD], the first
  /// by the first, so that the multiplications do not wait for each other; of the last word the
  /// bytes behind the name are 0.
  static int ended(long sum) {
    int hash = (int) (((sum ^ (sum >>> 32)) * SPREAD) >>> 32);
    return hash == FREE ? 1 : hash;
  }
}
