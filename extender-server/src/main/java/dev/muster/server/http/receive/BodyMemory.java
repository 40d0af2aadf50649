package dev.muster.server.http.receive;

import java.util.HashMap;
import java.util.Map;

/// The memory that request bodies may take together until they are answered.
///
/// Strangers get three quarters of it at most. So bodies of known callers find memory while
/// strangers use theirs up. The strangers of one address get twice as much as is then left free, so
/// two thirds if no other address sends. Other addresses always find memory, however much one sends
/// (dynamic thresholds, A. Choudhury and E. Hahne, 1998).
public final class BodyMemory {
  private static final int PART = 8;
  private static final int SHARE = 2; // of what is free

  private final long bytes;
  private final Map<String, Long> ofStrangers = new HashMap<>();
  private long taken;

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
  /// @param address takes its share of the memory for strangers; empty for a known caller
  synchronized boolean take(String address, long more) {
    if (taken + more > bytes || !isShare(address, more)) {
      return false;
    }
    taken += more;
    if (!address.isEmpty()) {
      ofStrangers.merge(address, more, Long::sum);
    }
    return true;
  }

  private boolean isShare(String address, long more) {
    long free = bytes / 4 * 3 - taken - more;
    return address.isEmpty() || ofStrangers.getOrDefault(address, 0L) + more <= SHARE * free;
  }

  /// Returns bytes to the budget.
  ///
  /// @param address as they were taken
  synchronized void give(String address, long back) {
    taken -= back;
    ofStrangers.computeIfPresent(address, (_, held) -> held > back ? held - back : null);
  }
}
