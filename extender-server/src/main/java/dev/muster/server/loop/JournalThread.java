package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.drive.Journal;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import dev.muster.policy.journal.JournalWriter;
import dev.muster.server.logging.Complaints;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A journal that is written by a thread of its own: no decision waits for a disk. Turns that come
/// faster than the disk takes them are missing in the journal, which says so.
public final class JournalThread implements Journal, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JournalThread.class);
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final String TOO_SLOW =
      "The disk of the journal is too slow: turns are missing in it from here on.";
  private static final Duration APART = Duration.ofSeconds(1);

  /// As at the start of a cluster of 100,000 pods, which the engine may see faster than they are
  /// written.
  private static final int CAPACITY = 1 << 17;

  private final LinkedBlockingQueue<Turn> queue;
  private final JournalWriter writer;
  private final Thread thread;
  private final Complaints complaints = new Complaints(); // the queue may fill up again and again
  private long missed; // of the thread that notes
  private OptionalLong given = OptionalLong.empty(); // likewise: when a state was
  private volatile boolean closed;

  /// @param after the state after it, where the journal is to go on from there
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

  /// @param capacity so many turns wait for the disk at most
  static JournalThread start(JournalWriter writer, int capacity) {
    JournalThread journal = new JournalThread(writer, capacity);
    journal.thread.start();
    return journal;
  }

  /// Never waits; for one thread.
  @Override
  public void note(Event event, Step step) {
    Optional<State> after =
        writer.wantsState() && isTimeToGive() ? Optional.of(step.after()) : Optional.empty();
    if (queue.offer(new Turn(missed, event, step.decisions(), after))) {
      missed = 0;
    } else {
      if (missed == 0 && complaints.isNew(TOO_SLOW)) {
        log.warn(TOO_SLOW);
      }
      missed++;
    }
  }

  /// A state that waits in the queue keeps alive what has changed since, and the writer may come to
  /// it late: so none is given with every turn until then.
  private boolean isTimeToGive() {
    long now = System.nanoTime();
    boolean due = given.isEmpty() || now - given.getAsLong() >= APART.toNanos();
    given = due ? OptionalLong.of(now) : given;
    return due;
  }

  /// Whether no turn waits to be taken.
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
    } catch (RuntimeException | Error bug) { // else turns would wait for this thread for ever
      log.error("Bug in the journal, which lacks this turn: {}", turn.event(), bug);
      writer.missed(1);
    }
  }

  /// Writes what waits, for a few seconds at most.
  @Override
  public void close() {
    closed = true;
    try {
      if (!thread.join(GRACE)) {
        log.warn("The journal could not be written to its end within {}.", GRACE);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
