package dev.muster.server.fair;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;

/// A semaphore whose permits go to waiting threads in an order that is fair to flows ([FairQueue]).
/// Threads of one flow get them in the order in which they came.
public final class FairSemaphore {
  private final FairQueue<CountDownLatch> waiting = new FairQueue<>(ArrayDeque::new, _ -> 1);
  private int free;

  /// @param permits number of permits
  public FairSemaphore(int permits) {
    this.free = permits;
  }

  /// Takes a permit, when the turn of the flow comes.
  public void acquire(String flow) throws InterruptedException {
    CountDownLatch turn = enter(flow);
    try {
      turn.await();
    } catch (InterruptedException interrupted) {
      leave(flow, turn);
      throw interrupted;
    }
  }

  /// Takes a permit, when the turn of the flow comes, also in an interrupted thread.
  public void acquireUninterruptibly(String flow) {
    CountDownLatch turn = enter(flow);
    boolean interrupted = false;
    while (turn.getCount() > 0) {
      try {
        turn.await();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized CountDownLatch enter(String flow) {
    CountDownLatch turn = new CountDownLatch(free > 0 ? 0 : 1);
    if (free > 0) { // so nobody waits
      free--;
    } else {
      waiting.add(flow, turn);
    }
    return turn;
  }

  private synchronized void leave(String flow, CountDownLatch turn) {
    if (turn.getCount() > 0) {
      waiting.remove(flow, turn);
    } else {
      release();
    }
  }

  /// Returns the number of threads that wait for a permit.
  public synchronized int waiting() {
    return waiting.size();
  }

  /// Returns a permit.
  public synchronized void release() {
    CountDownLatch next = waiting.poll();
    if (next == null) {
      free++;
    } else {
      next.countDown();
    }
  }
}
