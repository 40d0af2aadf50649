package dev.muster.server.kube.dra;

import java.util.TreeMap;
import java.util.function.LongSupplier;

/// The CPU time for the selectors of the next claim of each namespace.
///
/// The claims of a namespace share [#SHARED_NANOS] until the next [#renew], and the last of them
/// may take what is left of a second. A claim that is costly to evaluate also halves the time of
/// each later claim of its namespace; each renewal undoes one halving. So the claims of one tenant
/// delay others by a second at a time, however many they are and whatever they cost.
final class SelectionAllowance {
  /// Usual selectors take less, for 40,000 GPUs too.
  static final long COSTLY_NANOS = SelectionTime.LIMIT_NANOS / 8;

  /// Three usual selectors for 40,000 GPUs, and hundreds for 1,000.
  static final long SHARED_NANOS = SelectionTime.LIMIT_NANOS / 4;

  /// Number of halvings at most: a claim has a millisecond in any case.
  private static final int MOST = 10;

  private final LongSupplier cpuNanos;
  private final TreeMap<String, Integer> costly = new TreeMap<>();
  private final TreeMap<String, Long> used = new TreeMap<>();

  /// @param cpuNanos CPU time of the calling thread
  SelectionAllowance(LongSupplier cpuNanos) {
    this.cpuNanos = cpuNanos;
  }

  /// Starts the time of a claim or template `namespace/name`. There is none if the namespace has
  /// used its share.
  SelectionTime of(String key) {
    String namespace = namespace(key);
    long before = used.getOrDefault(namespace, 0L);
    long each = SelectionTime.LIMIT_NANOS >> costly.getOrDefault(namespace, 0);
    long rest = SelectionTime.LIMIT_NANOS - before;
    return new SelectionTime(cpuNanos, before >= SHARED_NANOS ? 0 : Math.min(each, rest));
  }

  /// Ends it.
  void used(String key, SelectionTime time) {
    String namespace = namespace(key);
    used.merge(namespace, time.used(), Long::sum);
    if (!time.isNone() && (time.used() > COSTLY_NANOS || time.isOver())) {
      costly.merge(namespace, 1, (before, one) -> Math.min(before + one, MOST));
    }
  }

  /// Gives each namespace its time again.
  void renew() {
    used.clear();
    costly.replaceAll((_, times) -> times - 1);
    costly.values().removeIf(times -> times == 0);
  }

  static String namespace(String key) {
    return key.substring(0, Math.max(0, key.indexOf('/')));
  }
}
