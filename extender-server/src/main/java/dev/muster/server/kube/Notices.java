package dev.muster.server.kube;

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

/// What merely shows where things stand, on virtual threads.
///
/// Goals: showing takes nothing from starting; what was overtaken is never written; nothing is
/// shown much too late, nor lost because the API server was busy for a moment: nobody shows it
/// again.
///
/// Constraints: of one key only the newest notice counts, and one is under way at a time; adding
/// never waits.
///
/// Algorithm: a notice rests for a moment, in which a newer one of its key takes its place in line,
/// and then waits until nothing is being started, in all at most so long. One that could not be
/// shown goes to the end of the line, and waits longer each time, unless a newer one is there.
///
/// Example: a gang that is seen, reserved and bound within the rest costs one write, not three.
final class Notices implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Notices.class);
  private static final long LOOK_AGAIN_MILLIS = 50;
  private static final int PARALLEL = 8;

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

  /// @param since since when it waits; a time to come for one that was tried
  private record Notice(Object key, long since, int tries, BooleanSupplier work) {}

  /// @param busy whether something more urgent is under way
  /// @param rest how long a notice waits in any case
  /// @param atMost how long it waits for the more urgent, the rest included
  /// @param retries how often, and how much later, one that could not be shown is tried again
  Notices(BooleanSupplier busy, Duration rest, Duration atMost, Retries retries) {
    this.busy = busy;
    this.rest = rest.toNanos();
    this.atMost = atMost.toNanos();
    this.retries = retries;
  }

  /// Adds a notice, or puts it in the place of the one that waits under the same key; dropped once
  /// closed.
  ///
  /// @param work says whether it was shown, or never can be; else it is tried again
  synchronized void add(Object key, BooleanSupplier work) {
    Notice before = line.get(key);
    long now = System.nanoTime();
    long since = before == null || before.since() - now > 0 ? now : before.since();
    enter(new Notice(key, since, 0, work));
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

  /// The next notice that is due, once it is; null when none waits any more.
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
        break; // Nobody does; the next notice would be served by another thread.
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
        return null; // The others are younger, or were tried and can wait.
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
      log.error("A notice failed unexpectedly.", e);
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

  /// Writes what waits without further rest, and waits until nothing is left, at most so long; says
  /// whether that came true.
  synchronized boolean await(Duration limit) throws InterruptedException {
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

  /// Drops what waits and takes nothing more; what is under way goes on to its end.
  @Override
  public synchronized void close() {
    closed = true;
    line.clear();
    notifyAll();
  }
}
