package dev.muster.server.kube.act;

import dev.muster.server.fair.CallPace;
import dev.muster.server.fair.FairSemaphore;
import dev.muster.server.kube.client.Retries;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
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
/// - A namespace with many notices delays those of another by about one call.
/// - Few writes of a tenant do not become many at the API server: a new reason of a gang is written
///   on up to 64 pods, so a PodGroup that changes all the time would cause 80 calls each time.
///
/// Constraints: for each key, only the newest notice counts, and at most one is being written;
/// adding never blocks.
///
/// Algorithm: a notice waits for a short rest, in which a newer one of its key may replace it. Then
/// it waits until nothing is being started, up to a total limit. Then it waits for a turn, which
/// the namespaces share fairly. A notice of many calls needs a turn for each ([#pass]). A failed
/// notice goes to the end of the queue and waits longer each time, unless a newer one is there. The
/// calls of a namespace have a [CallPace]: 2,000 at once, then 200 a second.
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
  private final FairSemaphore turns = new FairSemaphore(PARALLEL);
  private final CallPace pace;

  /// The notices of each namespace. The namespace of the last due notice comes last.
  private final LinkedHashMap<String, Line> lines = new LinkedHashMap<>();

  /// The namespace of the notice that is being written.
  private final ScopedValue<String> written = ScopedValue.newInstance();

  private boolean serving;
  private boolean hurried;
  private boolean closed;

  /// @param since start of the wait; in the future for a notice that failed
  private record Notice(Comparable<?> key, long since, int tries, BooleanSupplier work) {}

  /// The notices of a namespace. A notice under way waits for its turn or has one. Until then it is
  /// also among the waiting ones, so that a newer one can replace it.
  private record Line(
      String namespace, Map<Comparable<?>, Notice> waiting, Set<Comparable<?>> underWay) {
    boolean isIdle() {
      return waiting.isEmpty() && underWay.isEmpty();
    }
  }

  /// The key of a notice whose turn is near.
  private record Due(Line line, Comparable<?> key) {}

  /// @param busy true while more urgent work runs
  /// @param rest minimum wait of a notice
  /// @param atMost maximum wait for more urgent work, including the rest
  /// @param retries number and delays of the retries of a failed notice
  public NoticeQueue(BooleanSupplier busy, Duration rest, Duration atMost, Retries retries) {
    this(busy, rest, atMost, retries, new CallPace(2_000, Duration.ofMillis(5)));
  }

  /// @param pace pace of the calls of a namespace
  NoticeQueue(
      BooleanSupplier busy, Duration rest, Duration atMost, Retries retries, CallPace pace) {
    this.pace = pace;
    this.busy = busy;
    this.rest = rest.toNanos();
    this.atMost = atMost.toNanos();
    this.retries = retries;
  }

  /// Adds a notice, or replaces the waiting one with that key at its position. The notice is
  /// dropped if this object is closed.
  ///
  /// @param namespace namespace of the object, which always has the same keys
  /// @param key key of the notice. It has an order, since tenants choose names of equal hash codes.
  /// @param work returns true if the status was written or never can be; otherwise it is retried
  public synchronized void add(String namespace, Comparable<?> key, BooleanSupplier work) {
    Line line = lines.get(namespace);
    Notice before = line == null ? null : line.waiting().get(key);
    long now = System.nanoTime();
    long since = before == null || before.since() - now > 0 ? now : before.since();
    enter(namespace, new Notice(key, since, 0, work));
  }

  /// True if so many notices of the namespace wait that each of them should be brief.
  public synchronized boolean isLong(String namespace) {
    Line line = lines.get(namespace);
    return line != null && line.waiting().size() > MANY;
  }

  /// Lets notices of other namespaces go first. Called by a notice between its calls.
  public void pass() {
    if (written.isBound()) {
      turns.release(written.get());
      turn(written.get());
    }
  }

  /// Waits for the turn of a call, and before it for the pace of the namespace.
  private void turn(String namespace) {
    long pause = pace.pause(namespace, System.nanoTime());
    for (long end = System.nanoTime() + pause, left = pause; left > 0; ) {
      LockSupport.parkNanos(left);
      left = end - System.nanoTime();
    }
    turns.acquireUninterruptibly(namespace);
  }

  private void enter(String namespace, Notice notice) {
    if (closed) {
      return;
    }
    lines
        .computeIfAbsent(namespace, name -> new Line(name, new LinkedHashMap<>(), new HashSet<>()))
        .waiting()
        .put(notice.key(), notice);
    if (!serving) {
      serving = true;
      threads.newThread(this::serve).start();
    }
  }

  private void serve() {
    for (Due next = next(); next != null; next = next()) {
      Due due = next;
      threads.newThread(() -> perform(due)).start();
    }
  }

  /// Waits for the next due notice; null when none is left.
  private synchronized @Nullable Due next() {
    while (lines.values().stream().anyMatch(line -> !line.waiting().isEmpty())) {
      Due due = due();
      if (due != null) {
        due.line().underWay().add(due.key());
        lines.putLast(due.line().namespace(), due.line());
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

  private @Nullable Due due() {
    long wait = hurried ? 0 : busy.getAsBoolean() ? atMost : rest;
    long now = System.nanoTime();
    return lines.values().stream()
        .filter(line -> line.underWay().size() < PARALLEL)
        .map(line -> due(line, now, wait))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static @Nullable Due due(Line line, long now, long wait) {
    for (Notice notice : line.waiting().values()) {
      boolean due = now - notice.since() >= wait;
      if (!due && notice.tries() == 0) {
        return null; // The others are younger, or failed and can wait.
      }
      if (due && !line.underWay().contains(notice.key())) {
        return new Due(line, notice.key());
      }
    }
    return null;
  }

  private void perform(Due due) {
    turn(due.line().namespace());
    Notice notice = taken(due);
    boolean shown = true;
    try {
      shown =
          notice == null
              || ScopedValue.where(written, due.line().namespace())
                  .call(notice.work()::getAsBoolean);
    } catch (RuntimeException e) {
      log.error("Unexpected error while writing a status update.", e);
    } finally {
      turns.release(due.line().namespace());
      done(due, shown ? null : notice);
    }
  }

  /// Returns the newest notice with the key; null if this object was closed.
  private synchronized @Nullable Notice taken(Due due) {
    return due.line().waiting().remove(due.key());
  }

  /// @param failed notice that is to be retried; null if it was written
  private synchronized void done(Due due, @Nullable Notice failed) {
    Line line = due.line();
    line.underWay().remove(due.key());
    if (failed != null
        && failed.tries() < retries.pauses().size()
        && !line.waiting().containsKey(failed.key())) {
      long pause = retries.pauses().get(failed.tries()).toNanos();
      long since = System.nanoTime() + pause;
      enter(line.namespace(), new Notice(failed.key(), since, failed.tries() + 1, failed.work()));
    }
    if (line.isIdle()) {
      lines.remove(line.namespace());
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
    return lines.isEmpty();
  }

  /// Drops waiting notices and accepts no more; running writes continue to their end.
  @Override
  public synchronized void close() {
    closed = true;
    lines.values().forEach(line -> line.waiting().clear());
    lines.values().removeIf(Line::isIdle);
    notifyAll();
  }
}
