package dev.muster.server.kube.dra;

import java.util.TreeMap;
import java.util.function.LongSupplier;

/// The CPU time for the selectors of the next claim of each namespace.
///
/// A claim that is costly to evaluate halves the time of later claims of its namespace. So the
/// claims of one tenant delay others by seconds in all, however many they are.
final class SelectionAllowance {
  /// Usual selectors take less, for 40,000 GPUs too.
  static final long COSTLY_NANOS = SelectionTime.LIMIT_NANOS / 8;

  /// Number of halvings at most: a claim has a millisecond in any case.
  private static final int MOST = 10;

  private final LongSupplier cpuNanos;
  private final TreeMap<String, Integer> costly = new TreeMap<>();

  /// @param cpuNanos CPU time of the calling thread
  SelectionAllowance(LongSupplier cpuNanos) {
    this.cpuNanos = cpuNanos;
  }

  /// Starts the time of a claim or template `namespace/name`.
  SelectionTime of(String key) {
    return new SelectionTime(
        cpuNanos, SelectionTime.LIMIT_NANOS >> costly.getOrDefault(namespace(key), 0));
  }

  /// Ends it.
  void used(String key, SelectionTime time) {
    if (time.used() > COSTLY_NANOS || time.isOver()) {
      costly.merge(namespace(key), 1, (before, one) -> Math.min(before + one, MOST));
    }
  }

  private static String namespace(String key) {
    return key.substring(0, Math.max(0, key.indexOf('/')));
  }
}
