package dev.muster.server.kube.dra;

import java.util.function.LongSupplier;

/// CPU time for a part of the work that claims of tenants cause.
///
/// Kubernetes bounds the cost of a selector for one device. For all GPUs of a cluster, the sum
/// could be minutes, and no other claim or pod would be read meanwhile.
final class SelectionTime {
  /// The longest time in which a counted selection is evaluated for all GPUs: one second. Usual
  /// selectors take a tenth of it for 40,000 GPUs.
  static final long LIMIT_NANOS = 1_000_000_000L;

  private final LongSupplier cpuNanos;
  private final long start;
  private final long limit;

  /// @param cpuNanos CPU time of the calling thread
  SelectionTime(LongSupplier cpuNanos, long limit) {
    this.cpuNanos = cpuNanos;
    this.limit = limit;
    this.start = cpuNanos.getAsLong();
  }

  boolean isOver() {
    return used() > limit;
  }

  long used() {
    return cpuNanos.getAsLong() - start;
  }
}
