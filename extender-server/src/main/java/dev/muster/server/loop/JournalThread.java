package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.drive.Journal;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.policy.journal.JournalWriter;
import dev.muster.server.logging.LogThrottle;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A journal written by a separate thread, so that decisions do not wait for the disk. If the disk
/// is too slow, turns are skipped, and the journal records how many.
public final class JournalThread implements Journal, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JournalThread.class);
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final String TOO_SLOW =
      "The disk of the journal is too slow; turns are missing in it from here on.";
  private static final Duration APART = Duration.ofSeconds(1);

  /// Maximum number of waiting turns. At the start of a cluster of 100,000 pods, the engine may
  /// produce them faster than the disk writes them.
  private static final int CAPACITY = 1 << 17;

  private final LinkedBlockingQueue<Turn> queue;
  private final JournalWriter writer;
  private final Thread thread;
  private final LogThrottle throttle = new LogThrottle(); // the queue may fill up repeatedly
  private long missed; // used by the recording thread only
  private OptionalLong given = OptionalLong.empty(); // time of the last recorded state, likewise
  private volatile boolean closed;

  /// @param after state after the turn, if the journal is to contain it as a starting point
  private record Turn(
      long missedBefore, Event event, List<Decision> decisions, Optional<State> after) {}

  private JournalThread(JournalWriter writer, int capacity) {
    this.writer = writer;
    this.queue = new LinkedBlockingQueue<>(capacity);
    this.thread = Thread.ofPlatform().daemon().name("muster-journal").unstarted(this::run);
  }

  /// Starts the thread, which closes the writer at its end.
  public static JournalThread start(JournalWriter writer) {
    return start(writer, CAPACITY);
  }

  /// @param capacity maximum number of turns that wait for the disk
  static JournalThread start(JournalWriter writer, int capacity) {
    JournalThread journal = new JournalThread(writer, capacity);
    journal.thread.start();
    return journal;
  }

  /// Never blocks; for one thread only.
  @Override
  public void note(Event event, Step step) {
    Optional<State> after =
        writer.wantsState() && isTimeToGive() ? Optional.of(step.after()) : Optional.empty();
    if (queue.offer(new Turn(missed, event, step.decisions(), after))) {
      missed = 0;
    } else {
      if (missed == 0 && throttle.isNew(TOO_SLOW)) {
        log.warn(TOO_SLOW);
      }
      missed++;
    }
  }

  /// True if the last recorded state is old enough. A state in the queue keeps its changed objects
  /// in memory, and the writer may be late, so states are recorded at intervals only.
  private boolean isTimeToGive() {
    long now = System.nanoTime();
    boolean due = given.isEmpty() || now - given.getAsLong() >= APART.toNanos();
    given = due ? OptionalLong.of(now) : given;
    return due;
  }

  /// True if no turn waits in the queue.
  boolean isIdle() {
    return queue.isEmpty();
  }

  private void run() {
    try (writer) {
      while (!closed || !queue.isEmpty()) {
        Turn turn = queue.poll(100, TimeUnit.MILLISECONDS);
        write(turn);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(@Nullable Turn turn) {
    if (turn == null) {
      return;
    }
    if (turn.missedBefore() > 0) {
      writer.missed(turn.missedBefore());
    }
    try {
      writer.note(turn.event(), turn.decisions(), turn.after());
    } catch (RuntimeException | Error bug) { // a dead thread would leave all later turns waiting
      log.error("Bug in the journal; it lacks this turn: {}", turn.event(), bug);
      writer.missed(1);
    }
  }

  /// Writes the waiting turns, for a few seconds at most.
  @Override
  public void close() {
    closed = true;
    try {
      if (!thread.join(GRACE)) {
        log.warn("The journal was not written completely within {}.", GRACE);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
