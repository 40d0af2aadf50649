package dev.muster.server.http.receive;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;

/// A semaphore whose permits go to waiting threads in an order that is fair to addresses
/// ([FairQueue]). Threads of one address get them in the order in which they came.
public final class FairSemaphore {
  private final FairQueue<CountDownLatch> waiting = new FairQueue<>(ArrayDeque::new, _ -> 1);
  private int free;

  /// @param permits number of permits
  public FairSemaphore(int permits) {
    this.free = permits;
  }

  /// Takes a permit, when the turn of the address comes.
  public void acquire(String address) throws InterruptedException {
    CountDownLatch turn = enter(address);
    try {
      turn.await();
    } catch (InterruptedException interrupted) {
      leave(address, turn);
      throw interrupted;
    }
  }

  private synchronized CountDownLatch enter(String address) {
    CountDownLatch turn = new CountDownLatch(free > 0 ? 0 : 1);
    if (free > 0) { // so nobody waits
      free--;
    } else {
      waiting.add(address, turn);
    }
    return turn;
  }

  private synchronized void leave(String address, CountDownLatch turn) {
    if (turn.getCount() > 0) {
      waiting.remove(address, turn);
    } else {
      release();
    }
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
