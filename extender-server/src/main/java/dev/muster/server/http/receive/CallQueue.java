package dev.muster.server.http.receive;

import java.util.Comparator;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Calls that wait for the threads that answer strangers and large bodies.
///
/// One thread answers small bodies, another large ones. Known callers come first, then small
/// bodies, then early ones. So strangers that send megabytes do not delay a call of a few
/// kilobytes.
public final class CallQueue implements AutoCloseable {
  private static final int SMALL = 1 << 16; // bytes

  private final AtomicLong arrivals = new AtomicLong();
  private final ThreadPoolExecutor small = thread("muster-small-calls");
  private final ThreadPoolExecutor large = thread("muster-large-calls");

  private static ThreadPoolExecutor thread(String name) {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new PriorityBlockingQueue<>(),
        work -> Thread.ofPlatform().name(name).daemon().unstarted(work),
        new ThreadPoolExecutor.DiscardPolicy()); // after the end
  }

  private record Call(boolean known, long size, long arrival, Runnable work)
      implements Runnable, Comparable<Call> {
    private static final Comparator<Call> ORDER =
        Comparator.comparing((Call call) -> !call.known)
            .thenComparingLong(Call::size)
            .thenComparingLong(Call::arrival);

    @Override
    public int compareTo(Call other) {
      return ORDER.compare(this, other);
    }

    @Override
    public void run() {
      work.run();
    }
  }

  /// Answers a call when its turn comes.
  ///
  /// @param size length of the body in bytes
  /// @param work must not throw
  public void add(Caller caller, long size, Runnable work) {
    ThreadPoolExecutor thread = size > SMALL ? large : small;
    thread.execute(new Call(caller.isKnown(), size, arrivals.incrementAndGet(), work));
  }

  /// Drops the calls that wait.
  @Override
  public void close() {
    small.shutdownNow();
    large.shutdownNow();
  }
}
