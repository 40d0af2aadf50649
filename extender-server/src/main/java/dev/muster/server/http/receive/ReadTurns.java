package dev.muster.server.http.receive;

import dev.muster.server.fair.FairQueue;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// The turns in which an event loop decodes and answers what it has read.
///
/// Their time is shared fairly among addresses ([FairQueue]). After a slice of time the loop reads
/// again, so that an address with few turns is soon in the queue. Used on one thread only.
final class ReadTurns {
  private static final long SLICE = 500_000; // nanoseconds
  private static final long SHORTEST = 1_000; // cost of a turn before the time that it takes

  private final FairQueue<Runnable> waiting = new FairQueue<>(ArrayDeque::new, _ -> SHORTEST);
  private boolean planned;

  /// Adds a turn of an address.
  ///
  /// @param loop runs on this thread
  void add(EventExecutor loop, String address, Runnable turn) {
    waiting.add(address, turn);
    if (!planned) {
      plan(loop);
    }
  }

  /// Plans a slice for when all connections are read once. It is not executed at once: a loop runs
  /// such work before it reads.
  private void plan(EventExecutor loop) {
    planned = true;
    var _ = loop.schedule(() -> run(loop), 0, TimeUnit.NANOSECONDS);
  }

  private void run(EventExecutor loop) {
    long now = System.nanoTime();
    long end = now + SLICE;
    try {
      while (!waiting.isEmpty() && now < end) {
        long start = now;
        Objects.requireNonNull(waiting.poll()).run();
        now = System.nanoTime();
        waiting.charge(now - start);
      }
    } finally {
      planned = false;
      if (!waiting.isEmpty()) {
        plan(loop);
      }
    }
  }
}
