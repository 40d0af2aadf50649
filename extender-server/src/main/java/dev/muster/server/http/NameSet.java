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
/// Algorithm: open addressing with linear probing, at most half full.
final class NameSet {
  static final NameSet EMPTY = of(List.of());

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long SPREAD = 0x9E3779B97F4A7C15L; // 2^64 / golden ratio

  private final byte[] @Nullable [] slots;
  private final boolean empty;

  private NameSet(int size) {
    empty = size == 0;
    slots = new byte[Math.max(2, Integer.highestOneBit(Math.max(1, size)) << 2)][];
  }

  static NameSet of(Collection<String> names) {
    NameSet set = new NameSet(names.size());
    names.forEach(name -> set.add(name.getBytes(StandardCharsets.UTF_8)));
    return set;
  }

  private void add(byte[] name) {
    slots[slot(name, 0, name.length)] = name;
  }

  boolean contains(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return contains(bytes, 0, bytes.length);
  }

  /// Whether these bytes, in UTF-8, are one of the names.
  boolean contains(byte[] text, int from, int to) {
    return !empty && slots[slot(text, from, to)] != null;
  }

  /// The slot of the name, or the empty one where it would be.
  private int slot(byte[] text, int from, int to) {
    int slot = hash(text, from, to) & (slots.length - 1);
    for (byte[] there = slots[slot]; there != null; there = slots[slot]) {
      if (there.length == to - from && Arrays.equals(there, 0, there.length, text, from, to)) {
        return slot;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  /// Each word by a power of its own, so that the multiplications do not wait for each other.
  private static int hash(byte[] text, int from, int to) {
    long hash = (long) to - from;
    long power = SPREAD;
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      hash += (long) WORD.get(text, at) * power;
      power *= SPREAD;
    }
    if (at < to && to - from >= Long.BYTES) {
      hash += (long) WORD.get(text, to - Long.BYTES) * power;
    } else {
      for (; at < to; at++) {
        hash = (hash + text[at]) * SPREAD;
      }
    }
    hash = (hash ^ (hash >>> 32)) * SPREAD;
    return (int) (hash >>> 32);
  }
}
