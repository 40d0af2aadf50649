package dev.muster.server.fair;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// The pace of calls of each namespace: some at once, then one in each interval.
///
/// Algorithm: a namespace has a time up to which its calls are paid. A call adds one interval. It
/// waits while that time is further ahead than the calls that may be made at once. Safe for use by
/// several threads.
public final class CallPace {
  /// Namespaces beyond which those without recent calls are forgotten.
  private static final int KEPT = 1_000;

  private final long atOnce;
  private final long interval;
  private final Map<String, Long> paid = new HashMap<>();

  /// @param atOnce calls that a namespace makes without waiting, at least 1
  /// @param interval time between the calls after them
  public CallPace(int atOnce, Duration interval) {
    this.interval = interval.toNanos();
    this.atOnce = Math.multiplyExact(atOnce, this.interval);
  }

  /// Counts a call of the namespace, and returns the nanoseconds after which it is to be made.
  ///
  /// @param now the present as of [System#nanoTime]
  public synchronized long pause(String namespace, long now) {
    if (paid.size() > KEPT) {
      paid.values().removeIf(until -> until - now <= 0);
    }
    long ahead = Math.max(0, paid.getOrDefault(namespace, now) - now) + interval;
    paid.put(namespace, now + ahead);
    return Math.max(0, ahead - atOnce);
  }
}
