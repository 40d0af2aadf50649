package dev.muster.server.http.receive;

import java.util.Comparator;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// Calls that wait for the threads that answer strangers and large bodies.
///
/// One thread answers small bodies, another large ones, a third the large ones of known callers. A
/// fourth answers pages, which can cost many placement searches, so that they delay no webhook.
/// Calls come in the order of their arrival, except that known callers come first, and that a short
/// call may overtake longer ones that came a little earlier. So strangers that send megabytes do
/// not delay a call of a few kilobytes, and no flood of short calls delays a longer one for more
/// than seconds.
public final class CallQueue implements AutoCloseable {
  private final LongSupplier nanoTime;
  private final AtomicLong arrivals = new AtomicLong();
  private final ThreadPoolExecutor small = thread("muster-small-calls");
  private final ThreadPoolExecutor large = thread("muster-large-calls");
  private final ThreadPoolExecutor known = thread("muster-known-calls");
  private final ThreadPoolExecutor pages = thread("muster-pages");

  /// Creates an empty queue.
  public CallQueue() {
    this(System::nanoTime);
  }

  /// @param nanoTime clock
  CallQueue(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

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

  private record Call(boolean known, long due, long arrival, Runnable work)
      implements Runnable, Comparable<Call> {
    private static final Comparator<Call> ORDER =
        Comparator.comparing((Call call) -> !call.known)
            .thenComparingLong(Call::due)
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
  /// @return drops the call, with all that its work holds, if it still waits
  public Runnable add(Caller caller, long size, Runnable work) {
    return add(thread(caller, size), caller, size, work);
  }

  /// Answers a call for a page when its turn comes.
  ///
  /// @param work must not throw
  /// @return drops the call, with all that its work holds, if it still waits
  public Runnable addPage(Caller caller, Runnable work) {
    return add(pages, caller, 0, work);
  }

  private Runnable add(ThreadPoolExecutor thread, Caller caller, long size, Runnable work) {
    long due = nanoTime.getAsLong() + size * Intake.NANOS_PER_BYTE;
    Call call = new Call(caller.isKnown(), due, arrivals.incrementAndGet(), work);
    thread.execute(call);
    return () -> thread.remove(call);
  }

  private ThreadPoolExecutor thread(Caller caller, long size) {
    if (size <= Intake.SMALL) {
      return small;
    }
    return caller.isKnown() ? known : large;
  }

  /// Drops the calls that wait.
  @Override
  public void close() {
    small.shutdownNow();
    large.shutdownNow();
    known.shutdownNow();
    pages.shutdownNow();
  }
}
