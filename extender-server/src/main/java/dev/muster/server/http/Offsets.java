package dev.muster.server.http;

import java.util.Arrays;

/// Places in a body, in pairs, in the order found.
final class Offsets {
  private int[] offsets = new int[2048];
  private int size;

  void add(int first, int second) {
    if (size + 2 > offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * (size + 1));
    }
    offsets[size++] = first;
    offsets[size++] = second;
  }

  int get(int index) {
    return offsets[index];
  }

  int size() {
    return size;
  }
}
