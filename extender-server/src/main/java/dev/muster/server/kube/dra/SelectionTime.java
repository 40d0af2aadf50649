package dev.muster.server.kube.dra;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.LongSupplier;

/// CPU time for a part of the work that claims of tenants cause.
///
/// Kubernetes bounds the cost of a selector for one device. For all GPUs of a cluster, the sum
/// could be minutes, and no other claim or pod would be read meanwhile.
final class SelectionTime {
  /// The longest time in which a counted selection is evaluated for all GPUs: one second. Usual
  /// selectors take a tenth of it for 40,000 GPUs.
  static final long LIMIT_NANOS = 1_000_000_000L;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final LongSupplier cpuNanos;
  private final long start;
  private final long limit;
  private long used;

  /// @param cpuNanos CPU time of the calling thread
  SelectionTime(LongSupplier cpuNanos, long limit) {
    this.cpuNanos = cpuNanos;
    this.limit = limit;
    this.start = cpuNanos.getAsLong();
  }

  /// Returns the CPU time of the calling thread. The JVM does not measure that of a virtual thread,
  /// on which objects of a watch are received: there it is the time of a clock, which is longer.
  static long cpuNanos() {
    return Thread.currentThread().isVirtual()
        ? System.nanoTime()
        : THREADS.getCurrentThreadCpuTime();
  }

  /// Reads the clock; true if the time is over.
  boolean isOver() {
    used = cpuNanos.getAsLong() - start;
    return used > limit;
  }

  /// Returns the time used when the clock was last read by [#isOver], in nanoseconds.
  long used() {
    return used;
  }
}
