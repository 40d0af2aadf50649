package dev.muster.server.http;

import java.util.concurrent.atomic.AtomicLong;

/// The memory that bodies of requests may take together, until they are answered.
final class BodyMemory {
  private static final int PART = 8;

  private final long bytes;
  private final AtomicLong taken = new AtomicLong();

  /// @param bytes how much there is
  BodyMemory(long bytes) {
    this.bytes = bytes;
  }

  /// A part of the heap.
  static BodyMemory ofHeap() {
    return new BodyMemory(Runtime.getRuntime().maxMemory() / PART);
  }

  /// Whether there was room for so many bytes more; they are taken then.
  boolean take(long more) {
    boolean granted = taken.addAndGet(more) <= bytes;
    if (!granted) {
      taken.addAndGet(-more);
    }
    return granted;
  }

  /// So many bytes are free again.
  void give(long back) {
    taken.addAndGet(-back);
  }
}
