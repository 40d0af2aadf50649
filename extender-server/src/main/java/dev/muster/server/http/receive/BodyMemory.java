package dev.muster.server.http.receive;

import java.util.concurrent.atomic.AtomicLong;

/// The memory that request bodies may take together until they are answered.
///
/// Strangers get three quarters of it at most. So bodies of known callers find memory while
/// strangers use theirs up.
public final class BodyMemory {
  private static final int PART = 8;

  private final long bytes;
  private final AtomicLong taken = new AtomicLong();

  /// @param bytes total memory
  BodyMemory(long bytes) {
    this.bytes = bytes;
  }

  /// Returns a budget that is a fraction of the heap.
  public static BodyMemory ofHeap() {
    return new BodyMemory(Runtime.getRuntime().maxMemory() / PART);
  }

  /// Reserves more bytes and returns true if they are available to the caller.
  ///
  /// @param known true for a known caller, see [Caller]
  boolean take(long more, boolean known) {
    boolean granted = taken.addAndGet(more) <= (known ? bytes : bytes / 4 * 3);
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
