package dev.muster.server.http;

import java.util.concurrent.atomic.AtomicLong;

/// The memory that request bodies may take together until they are answered.
final class BodyMemory {
  private static final int PART = 8;

  private final long bytes;
  private final AtomicLong taken = new AtomicLong();

  /// @param bytes total memory
  BodyMemory(long bytes) {
    this.bytes = bytes;
  }

  /// Returns a budget that is a fraction of the heap.
  static BodyMemory ofHeap() {
    return new BodyMemory(Runtime.getRuntime().maxMemory() / PART);
  }

  /// Reserves more bytes and returns true if they are available.
  boolean take(long more) {
    boolean granted = taken.addAndGet(more) <= bytes;
    if (!granted) {
      taken.addAndGet(-more);
    }
    return granted;
  }

  /// Returns bytes to the budget.
  void give(long back) {
    taken.addAndGet(-back);
  }
}
