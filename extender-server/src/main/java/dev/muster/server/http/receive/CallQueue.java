package dev.muster.server.http.receive;

import dev.muster.server.fair.FairQueue;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Calls that wait for the threads that answer strangers and large bodies.
///
/// One thread answers small bodies, another large ones, a third the large ones of known callers. A
/// fourth answers pages, which can cost many placement searches, so that they delay no webhook.
///
/// Each thread is shared fairly among addresses ([FairQueue]): that of pages by the time that their
/// answers took, the others by bytes. The request for a page does not tell its cost, which may be a
/// scan of all usage. The calls of one address come in the order of their arrival, except that a
/// short call may overtake longer ones that came a little earlier. So no flood of short calls
/// delays a longer one for more than seconds.
public final class CallQueue implements AutoCloseable {
  /// The cost of a call without body, in bytes of a body.
  private static final int SMALLEST = 1 << 12;

  /// The cost of a page in nanoseconds before the time that it takes.
  private static final int PAGE = 1_000;

  private final LongSupplier nanoTime;
  private final Turns small = new Turns("muster-small-calls");
  private final Turns large = new Turns("muster-large-calls");
  private final Turns known = new Turns("muster-known-calls");
  private final Turns pages = new Turns("muster-pages");

  /// Creates an empty queue.
  public CallQueue() {
    this(System::nanoTime);
  }

  /// @param nanoTime clock
  CallQueue(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// @param cost share of the thread that it uses up; positive
  /// @param work taken out when it runs, so that nothing keeps its body after that
  private record Call(
      String address, long cost, long due, long arrival, AtomicReference<@Nullable Runnable> work) {
    private static final Comparator<Call> ORDER =
        Comparator.comparingLong(Call::due).thenComparingLong(Call::arrival);
  }

  /// A thread, and the calls that wait for it.
  private static final class Turns {
    private final FairQueue<Call> waiting =
        new FairQueue<>(() -> new PriorityQueue<>(Call.ORDER), Call::cost);
    private final ThreadPoolExecutor thread;
    private long arrivals;

    Turns(String name) {
      this.thread =
          new ThreadPoolExecutor(
              1,
              1,
              0,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              work -> Thread.ofPlatform().name(name).daemon().unstarted(work),
              new ThreadPoolExecutor.DiscardPolicy()); // after the end
    }

    Runnable add(String address, long cost, long due, Runnable work) {
      Call call = enter(address, cost, due, work);
      thread.execute(this::answer);
      return () -> drop(call);
    }

    private synchronized Call enter(String address, long cost, long due, Runnable work) {
      Call call = new Call(address, cost, due, arrivals++, new AtomicReference<>(work));
      waiting.add(address, call);
      return call;
    }

    private synchronized void drop(Call call) {
      waiting.remove(call.address(), call);
    }

    private synchronized @Nullable Call next() {
      return waiting.poll();
    }

    synchronized void charge(long cost) {
      waiting.charge(cost);
    }

    private void answer() {
      Call next = next();
      Runnable work = next == null ? null : next.work().getAndSet(null);
      if (work != null) { // else it was dropped
        work.run();
      }
    }
  }

  /// Answers a call when its turn comes.
  ///
  /// @param size length of the body in bytes
  /// @param work must not throw
  /// @return drops the call, with all that its work holds, if it still waits
  public Runnable add(Caller caller, long size, Runnable work) {
    long due = nanoTime.getAsLong() + size * Intake.NANOS_PER_BYTE;
    return turns(caller, size).add(caller.address(), size + SMALLEST, due, work);
  }

  /// Answers a call for a page when its turn comes.
  ///
  /// @param work must not throw
  /// @return drops the call, with all that its work holds, if it still waits
  public Runnable addPage(Caller caller, Runnable work) {
    return pages.add(caller.address(), PAGE, nanoTime.getAsLong(), () -> timed(work));
  }

  private void timed(Runnable work) {
    long start = nanoTime.getAsLong();
    work.run();
    pages.charge(nanoTime.getAsLong() - start);
  }

  private Turns turns(Caller caller, long size) {
    if (size <= Intake.SMALL) {
      return small;
    }
    return caller.isKnown() ? known : large;
  }

  /// Drops the calls that wait.
  @Override
  public void close() {
    small.thread.shutdownNow();
    large.thread.shutdownNow();
    known.thread.shutdownNow();
    pages.thread.shutdownNow();
  }
}
