package dev.muster.server.http;

import java.util.Arrays;

/// Places in a body, in the order found.
final class Offsets {
  private int[] offsets = new int[2048];
  private int size;

  void add(int offset) {
    if (size == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * size);
    }
    offsets[size++] = offset;
  }

  int get(int index) {
    return offsets[index];
  }

  int size() {
    return size;
  }
}
