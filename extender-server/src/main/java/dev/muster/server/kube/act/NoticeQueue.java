package dev.muster.server.kube.act;

import dev.muster.server.kube.client.Retries;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes status updates on virtual threads, with a lower priority than starts.
///
/// Goals:
/// - Status updates take no capacity from starts.
/// - An outdated status is never written.
/// - No status is written much too late, or lost because the API server was busy for a moment: it
///   is not requested again.
///
/// Constraints: for each key, only the newest notice counts, and at most one is being written;
/// adding never blocks.
///
/// Algorithm: a notice waits for a short rest, in which a newer one of its key may replace it. Then
/// it waits until nothing is being started, up to a total limit. A failed notice goes to the end of
/// the queue and waits longer each time, unless a newer one is there.
///
/// Example: a gang that is seen, reserved and bound within the rest costs one write, not three.
public final class NoticeQueue implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NoticeQueue.class);
  private static final long LOOK_AGAIN_MILLIS = 50;
  private static final int PARALLEL = 8;
  private static final int MANY = 100;

  private final BooleanSupplier busy;
  private final long rest;
  private final long atMost;
  private final Retries retries;
  private final ThreadFactory threads = Thread.ofVirtual().name("muster-notice-", 0).factory();
  private final Map<Object, Notice> line = new LinkedHashMap<>();
  private final Set<Object> underWay = new HashSet<>();
  private boolean serving;
  private boolean hurried;
  private boolean closed;

  /// @param since start of the wait; in the future for a notice that failed
  private record Notice(Object key, long since, int tries, BooleanSupplier work) {}

  /// @param busy true while more urgent work runs
  /// @param rest minimum wait of a notice
  /// @param atMost maximum wait for more urgent work, including the rest
  /// @param retries number and delays of the retries of a failed notice
  public NoticeQueue(BooleanSupplier busy, Duration rest, Duration atMost, Retries retries) {
    this.busy = busy;
    this.rest = rest.toNanos();
    this.atMost = atMost.toNanos();
    this.retries = retries;
  }

  /// Adds a notice, or replaces the waiting one with that key at its position. The notice is
  /// dropped if this object is closed.
  ///
  /// @param work returns true if the status was written or never can be; otherwise it is retried
  public synchronized void add(Object key, BooleanSupplier work) {
    Notice before = line.get(key);
    long now = System.nanoTime();
    long since = before == null || before.since() - now > 0 ? now : before.since();
    enter(new Notice(key, since, 0, work));
  }

  /// True if so many notices wait that each of them should be brief.
  public synchronized boolean isLong() {
    return line.size() > MANY;
  }

  private void enter(Notice notice) {
    if (closed) {
      return;
    }
    line.put(notice.key(), notice);
    if (!serving) {
      serving = true;
      threads.newThread(this::serve).start();
    }
  }

  private void serve() {
    for (Notice notice = next(); notice != null; notice = next()) {
      Notice due = notice;
      threads.newThread(() -> perform(due)).start();
    }
  }

  /// Waits for the next due notice; null when none is left.
  private synchronized @Nullable Notice next() {
    while (!line.isEmpty()) {
      Notice due = underWay.size() < PARALLEL ? due() : null;
      if (due != null) {
        line.remove(due.key());
        underWay.add(due.key());
        return due;
      }
      try {
        wait(LOOK_AGAIN_MILLIS);
      } catch (InterruptedException _) {
        break; // These threads are never interrupted; another thread would serve the next notice.
      }
    }
    serving = false;
    return null;
  }

  private @Nullable Notice due() {
    long wait = hurried ? 0 : busy.getAsBoolean() ? atMost : rest;
    long now = System.nanoTime();
    for (Notice notice : line.values()) {
      boolean due = now - notice.since() >= wait;
      if (!due && notice.tries() == 0) {
        return null; // The others are younger, or failed and can wait.
      }
      if (due && !underWay.contains(notice.key())) {
        return notice;
      }
    }
    return null;
  }

  private void perform(Notice notice) {
    boolean shown = true;
    try {
      shown = notice.work().getAsBoolean();
    } catch (RuntimeException e) {
      log.error("Unexpected error while writing a status update.", e);
    } finally {
      done(notice, shown);
    }
  }

  private synchronized void done(Notice notice, boolean shown) {
    underWay.remove(notice.key());
    if (!shown && notice.tries() < retries.pauses().size() && !line.containsKey(notice.key())) {
      long pause = retries.pauses().get(notice.tries()).toNanos();
      long due = System.nanoTime() + pause;
      enter(new Notice(notice.key(), due, notice.tries() + 1, notice.work()));
    }
    notifyAll();
  }

  /// Writes all waiting notices without further rest, and waits for them at most for the given
  /// time.
  ///
  /// @return true if none is left
  public synchronized boolean await(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    hurried = true;
    notifyAll();
    for (long left = limit.toNanos(); !isIdle() && left > 0; left = end - System.nanoTime()) {
      wait(Math.max(1, left / 1_000_000));
    }
    hurried = false;
    return isIdle();
  }

  private boolean isIdle() {
    return line.isEmpty() && underWay.isEmpty();
  }

  /// Drops waiting notices and accepts no more; running writes continue to their end.
  @Override
  public synchronized void close() {
    closed = true;
    line.clear();
    notifyAll();
  }
}
