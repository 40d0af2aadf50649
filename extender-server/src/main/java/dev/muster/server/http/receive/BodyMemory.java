package dev.muster.server.http.receive;

import java.util.HashMap;
import java.util.Map;

/// The memory that request bodies of one kind may take together until their answers begin.
///
/// An address gets twice as much as is then left free, so two thirds if no other address sends.
/// Other addresses always find memory, however much one sends (dynamic thresholds, A. Choudhury and
/// E. Hahne, 1998). Strangers count a quarter of the memory as not free, so it is left for known
/// callers. Callers with a certificate are limited by the whole memory only.
public final class BodyMemory {
  private static final int SHARE = 2; // of what is free

  private final long bytes;
  private final Map<String, Long> held = new HashMap<>(); // by addresses without certificate
  private long taken;

  /// @param bytes total memory
  BodyMemory(long bytes) {
    this.bytes = bytes;
  }

  /// Returns a budget that is a fraction of the heap.
  static BodyMemory ofHeap(int denominator) {
    return new BodyMemory(Runtime.getRuntime().maxMemory() / denominator);
  }

  /// Reserves more bytes and returns true if they are available to the caller.
  synchronized boolean take(Caller caller, long more) {
    if (caller.isCertified()) {
      if (taken + more > bytes) {
        return false;
      }
    } else {
      long free = (caller.isKnown() ? bytes : bytes / 4 * 3) - taken - more;
      long own = held.getOrDefault(caller.address(), 0L) + more;
      if (own > SHARE * free) {
        return false;
      }
      held.put(caller.address(), own);
    }
    taken += more;
    return true;
  }

  /// Returns bytes of the caller to the budget.
  synchronized void give(Caller caller, long back) {
    taken -= back;
    if (!caller.isCertified()) {
      held.computeIfPresent(caller.address(), (_, own) -> own > back ? own - back : null);
    }
  }
}
