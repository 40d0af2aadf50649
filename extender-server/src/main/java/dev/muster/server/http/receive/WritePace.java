package dev.muster.server.http.receive;

import dev.muster.server.fair.FairQueue;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.LongSupplier;

/// Limits how much one event loop writes of large answers in a millisecond.
///
/// The kernel takes megabytes for a caller that reads nothing. Without this limit, a thousand such
/// callers keep the loop busy, and it reads no other call meanwhile. The turns are shared fairly
/// among addresses ([FairQueue]). Used on one thread only.
final class WritePace {
  private static final long MILLI = 1_000_000;
  private static final int MOST = 1 << 18;

  private final FairQueue<Runnable> waiting = new FairQueue<>(ArrayDeque::new, _ -> 1);
  private final LongSupplier nanos;
  private long from;
  private int taken;
  private boolean isDue;
  private boolean inTurn;

  WritePace() {
    this(System::nanoTime);
  }

  WritePace(LongSupplier nanos) {
    this.nanos = nanos;
    this.from = nanos.getAsLong();
  }

  /// Takes the right to write a piece now; false if it has to wait. Others that wait come first.
  boolean take(int length) {
    if (!inTurn && !waiting.isEmpty()) {
      return false;
    }
    long now = nanos.getAsLong();
    if (now - from >= MILLI) {
      from = now;
      taken = 0;
    }
    if (taken >= MOST) {
      return false;
    }
    taken += length;
    return true;
  }

  /// Runs the work in its turn, in a later millisecond.
  void later(Vertx vertx, String address, Runnable work) {
    waiting.add(address, work);
    wake(vertx);
  }

  private void wake(Vertx vertx) {
    if (!isDue && !waiting.isEmpty()) {
      isDue = true;
      vertx.setTimer(1, _ -> next(vertx));
    }
  }

  private void next(Vertx vertx) {
    isDue = false;
    inTurn = true;
    try {
      for (int turns = waiting.size(); turns > 0 && take(0); turns--) {
        Objects.requireNonNull(waiting.poll()).run(); // may wait again
      }
    } finally {
      inTurn = false;
      wake(vertx); // also after work that fails
    }
  }
}
