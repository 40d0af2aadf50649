package dev.muster.policy.journal;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.drive.Journal;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Appends the turns of a run to a file, one line each.
 *
 * <p>Every turn is written, even a tick that decided nothing: each event makes another version of
 * the image, and decisions name the version they were taken on. A tick takes some 70 bytes.
 *
 * <p>Lines reach the file within a second while turns go on, so a crash may lose the newest ones:
 * the journal serves replay, it is not the truth. For the same reason a write that fails stops the
 * journal and not the scheduler.
 *
 * <p>Turns are noted by one thread; another may close.
 */
public final class JournalWriter implements Journal, Closeable {

  private static final long FLUSH_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int BUFFER_BYTES = 1 << 16;

  private final Path path;
  private final OutputStream out;
  private final Consumer<String> complaints;
  private final LongSupplier nanoTime;
  private long flushed;
  private boolean stopped;

  JournalWriter(Path path, OutputStream out, Consumer<String> complaints, LongSupplier nanoTime) {
    this.path = path;
    this.out = new BufferedOutputStream(out, BUFFER_BYTES);
    this.complaints = complaints;
    this.nanoTime = nanoTime;
    this.flushed = nanoTime.getAsLong();
  }

  /**
   * Opens the file, drops the torn line that a crash may have left at its end, and begins a run
   * with the header. A disk that is full by then stops the journal, as one that becomes full does:
   * nobody is to wait for a scheduler because of its records.
   *
   * @param complaints is told, once, when the journal stops because it cannot be written
   * @throws IOException if the file cannot be opened
   */
  public static JournalWriter open(Path path, Header header, Consumer<String> complaints)
      throws IOException {
    JournalWriter writer =
        new JournalWriter(path, WholeLines.append(path), complaints, System::nanoTime);
    writer.begin(header);
    return writer;
  }

  void begin(Header header) {
    try {
      write(JournalJson.line(header));
      out.flush();
    } catch (IOException failed) {
      stop(failed);
    }
  }

  @Override
  public synchronized void note(Event event, List<Decision> decisions) {
    if (stopped) {
      return;
    }
    try {
      write(JournalJson.line(event, decisions));
      flushWhenDue();
    } catch (IOException failed) {
      stop(failed);
    }
  }

  private void write(byte[] line) throws IOException {
    out.write(line);
    out.write('\n');
  }

  private void flushWhenDue() throws IOException {
    long now = nanoTime.getAsLong();
    if (now - flushed >= FLUSH_NANOS) {
      out.flush();
      flushed = now;
    }
  }

  private void stop(IOException failed) {
    stopped = true;
    complaints.accept(
        "The journal %s cannot be written (%s) and stops here; scheduling goes on. Maybe the disk is full."
            .formatted(path, failed));
    try {
      out.close();
    } catch (IOException _) {
      // it failed before, and that was told
    }
  }

  /** Writes what is left and closes the file; turns noted later are dropped. */
  @Override
  public synchronized void close() {
    if (stopped) {
      return;
    }
    stopped = true;
    try {
      out.close();
    } catch (IOException failed) {
      stop(failed);
    }
  }
}
