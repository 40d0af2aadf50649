package dev.muster.server.fair;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;

/// A semaphore whose permits go to waiting threads in an order that is fair to flows ([FairQueue]).
/// Threads of one flow get them in the order in which they came.
///
/// A flow has a limited number of permits at a time, so that slow work of one flow cannot hold all.
public final class FairSemaphore {
  private final FairQueue<CountDownLatch> waiting = new FairQueue<>(ArrayDeque::new, _ -> 1);
  private final Map<String, Share> shares = new HashMap<>();
  private final int most;
  private int free;

  /// The threads of a flow that have a permit or wait.
  private static final class Share {
    /// Threads that have a permit, or wait in the queue of all flows.
    private int admitted;

    /// Threads that wait until others of their flow are done.
    private final Queue<CountDownLatch> later = new ArrayDeque<>();
  }

  /// Creates a semaphore of which one flow may have all permits.
  ///
  /// @param permits number of permits
  public FairSemaphore(int permits) {
    this(permits, permits);
  }

  /// @param permits number of permits
  /// @param most permits that one flow has at a time
  public FairSemaphore(int permits, int most) {
    this.free = permits;
    this.most = most;
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
    CountDownLatch turn = new CountDownLatch(1);
    Share share = shares.computeIfAbsent(flow, _ -> new Share());
    if (share.admitted == most) {
      share.later.add(turn);
    } else {
      share.admitted++;
      waiting.add(flow, turn);
      grant();
    }
    return turn;
  }

  private synchronized void leave(String flow, CountDownLatch turn) {
    if (turn.getCount() == 0) {
      release(flow);
    } else if (!share(flow).later.remove(turn)) {
      waiting.remove(flow, turn);
      end(flow);
    }
  }

  /// Returns the number of threads that wait for a permit.
  public synchronized int waiting() {
    return waiting.size() + shares.values().stream().mapToInt(share -> share.later.size()).sum();
  }

  /// Returns a permit of the flow.
  public synchronized void release(String flow) {
    free++;
    end(flow);
    grant();
  }

  /// Ends the part of one admitted thread of the flow. The next one of the flow takes its part.
  private void end(String flow) {
    Share share = share(flow);
    CountDownLatch next = share.later.poll();
    if (next != null) {
      waiting.add(flow, next);
    } else if (--share.admitted == 0) {
      shares.remove(flow);
    }
  }

  private Share share(String flow) {
    return Objects.requireNonNull(shares.get(flow), "a flow without a permit");
  }

  private void grant() {
    CountDownLatch next = free > 0 ? waiting.poll() : null;
    if (next != null) {
      free--;
      next.countDown();
    }
  }
}
