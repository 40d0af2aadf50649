package dev.muster.policy.journal;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.drive.Journal;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.policy.yaml.FileProblem;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// Appends the turns of a run to a file, one line each.
///
/// A full file is rotated, and the oldest rotated file is dropped. Every turn is written, even a
/// tick without decisions: each event makes another version of the image, and decisions name the
/// version they were taken on. A tick takes some 70 bytes. One thread notes turns; another may
/// close.
///
/// Lines reach the file within a second while turns go on, so a crash may lose the newest ones. The
/// journal serves replay and is not the source of truth, so a failed write stops the journal and
/// not the scheduler. The journal resumes by itself when the disk has space again.
public final class JournalWriter implements Journal, Closeable {

  /// Number of full files kept beside the current one: 1 GiB in all.
  static final int KEPT = 7;

  private static final long LIMIT = 128L << 20;
  private static final long FLUSH_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long RETRY_NANOS = Duration.ofMinutes(1).toNanos();

  private final FileRotation files;
  private final JournalFile.Disk disk;
  private final JournalMessages messages;
  private final LongSupplier nanoTime;
  private Optional<JournalFile> out = Optional.empty();
  private Optional<JournalHeader> header = Optional.empty(); // in force now
  private boolean begun; // the header of the run was written
  private long turns; // of this run, lost ones included
  private Missing missing = Missing.NONE;
  private boolean crowded; // the file is full and could not be rotated
  private long flushed;
  private long failed; // time of the last failed attempt to write
  private long imaged; // time of the last image
  private boolean closed;
  private volatile boolean wanting;

  /// States of turns that are missing since the file's last header or image.
  private enum Missing {
    NONE,
    /// Turns are missing and the file says so. A replay continues from the next image.
    SAID,
    /// Turns are missing, to be recorded before the next turn.
    UNSAID
  }

  JournalWriter(
      Path path, JournalFile.Disk disk, Consumer<String> complaints, LongSupplier nanoTime) {
    this.files = new FileRotation(path, KEPT, JournalJson.BEGINNINGS);
    this.disk = disk;
    this.messages = new JournalMessages(files.file(), complaints);
    this.nanoTime = nanoTime;
    this.flushed = nanoTime.getAsLong();
  }

  /// Opens the file, drops a line torn by a crash, and begins a run with the header.
  ///
  /// A disk that is full or read-only at this time stops the journal, as one that becomes so later
  /// does: the scheduler must not wait because of its records.
  ///
  /// @param complaints receives a message when the journal stops because it cannot be written, and
  ///   when it resumes
  /// @throws MalformedJournal if the file is not a journal; it is left as it is
  /// @throws IOException if the file cannot be opened, and the disk is not the cause
  public static JournalWriter open(Path path, JournalHeader header, Consumer<String> complaints)
      throws IOException {
    return open(path, header, complaints, LIMIT);
  }

  /// Opens the file like [#open(Path, JournalHeader, Consumer)], with another size limit.
  ///
  /// @param limit a file of more bytes is rotated
  public static JournalWriter open(
      Path path, JournalHeader header, Consumer<String> complaints, long limit) throws IOException {
    JournalFile.Disk disk = new JournalFile.Disk(JournalWriter::opened, limit);
    JournalWriter writer = new JournalWriter(path, disk, complaints, System::nanoTime);
    writer.begin(header);
    return writer;
  }

  private static OutputStream opened(Path path) throws IOException {
    if (LineFile.holdsOther(path, JournalJson.BEGINNINGS)) {
      throw new MalformedJournal(
          FileProblem.ofFile(path.toString(), "exists and is not a journal."));
    }
    return LineFile.append(path);
  }

  void begin(JournalHeader first) throws IOException {
    header = Optional.of(first);
    imaged = nanoTime.getAsLong();
    try {
      out = Optional.of(JournalFile.open(files, disk));
      introduce(out.get());
    } catch (IOException failure) {
      if (out.isEmpty() && !LineFile.isDiskFailure(failure)) {
        throw failure;
      }
      stop(failure);
    }
  }

  /// Writes the header of the run, or the number of its turns before the next line.
  private void introduce(JournalFile to) throws IOException {
    if (!begun) {
      to.write(JournalJson.line(header.orElseThrow()));
    }
    if (turns > 0) {
      to.write(JournalJson.line(new JournalEntry.Continuation(turns)));
    }
    to.flush();
    begun = true;
    missing = turns > 0 ? Missing.SAID : Missing.NONE;
  }

  @Override
  public void note(Event event, Step step) {
    note(event, step.decisions(), Optional.of(step.after()));
  }

  /// Notes one turn.
  ///
  /// @param after the state after it; may be left out unless the journal [wants it][#wantsState]
  public synchronized void note(Event event, List<Decision> decisions, Optional<State> after) {
    if (event instanceof Event.PolicyChanged(_, String revision)) {
      header = header.map(before -> before.preemptingBy(revision));
    }
    if (!closed && (out.isPresent() || (isDue() && isOpenAgain()))) {
      append(event, decisions);
    }
    turns++;
    wanting = wantsNow();
    if (wanting && after.isPresent()) {
      goOnFrom(after.get());
    }
  }

  /// Counts turns that could not be noted; the journal records that they are missing.
  public synchronized void missed(long number) {
    turns += number;
    missing = Missing.UNSAID;
  }

  private void append(Event event, List<Decision> decisions) {
    try {
      byte[] line = JournalJson.line(event, decisions);
      if (missing == Missing.UNSAID) {
        introduce(out.orElseThrow());
      }
      out.orElseThrow().write(line);
      flushWhenDue();
    } catch (IOException failed) {
      stop(failed);
    }
  }

  /// True if the next turn must come with the state. Any thread may call this.
  public boolean wantsState() {
    return wanting;
  }

  /// True if an image is due: the file is full, or turns are missing and the last image is old.
  ///
  /// An image at the start of each file lets it be replayed after the files before it are dropped.
  private boolean wantsNow() {
    boolean rested = nanoTime.getAsLong() - imaged >= RETRY_NANOS;
    return isFull() ? !crowded || isDue() : out.isPresent() && missing != Missing.NONE && rested;
  }

  private boolean isFull() {
    return out.isPresent() && out.get().isFull();
  }

  private void goOnFrom(State state) {
    imaged = nanoTime.getAsLong();
    wanting = false;
    try {
      byte[] line = goingOnFrom(state);
      JournalFile old = out.orElseThrow();
      old.flush();
      if (isFull()) {
        putAside(old);
      }
      if (!crowded || missing != Missing.NONE) {
        out.orElseThrow().introduce(line);
        missing = Missing.NONE;
      }
    } catch (IOException failed) {
      stop(failed);
    }
  }

  private byte[] goingOnFrom(State state) throws IOException {
    try {
      return JournalJson.line(JournalEntry.Image.of(turns, header.orElseThrow(), state));
    } catch (IllegalStateException unknown) { // the journal must stay bounded in any case
      messages.withoutImage(unknown);
      return JournalJson.line(new JournalEntry.Continuation(turns));
    }
  }

  private void putAside(JournalFile old) throws IOException {
    try {
      out = Optional.of(old.successor());
    } catch (IOException refused) {
      if (!crowded) {
        messages.notRotated(refused);
      }
      crowded = true;
      failed = nanoTime.getAsLong();
      return;
    }
    crowded = false;
    old.abandon();
  }

  private boolean isDue() {
    return nanoTime.getAsLong() - failed >= RETRY_NANOS;
  }

  private boolean isOpenAgain() {
    failed = nanoTime.getAsLong();
    try {
      out = Optional.of(JournalFile.open(files, disk));
      introduce(out.get());
    } catch (IOException _) { // reported when it began
      abandon();
      return false;
    }
    messages.continued();
    return true;
  }

  private void flushWhenDue() throws IOException {
    long now = nanoTime.getAsLong();
    if (now - flushed >= FLUSH_NANOS) {
      JournalFile file = out.orElseThrow();
      file.flush();
      flushed = now;
      if (file.isLost()) {
        beginAnew(file);
      }
    }
  }

  /// Begins a new file after a deletion or move; the old one would occupy disk space unread.
  private void beginAnew(JournalFile lost) throws IOException {
    missing = Missing.UNSAID;
    lost.abandon();
    out = Optional.of(JournalFile.open(files, disk));
    messages.lost();
  }

  private void stop(IOException cause) {
    messages.paused(cause);
    failed = nanoTime.getAsLong();
    abandon();
  }

  private void abandon() {
    missing = Missing.UNSAID;
    wanting = false;
    try {
      if (out.isPresent()) {
        out.get().abandon();
      }
    } catch (IOException _) {
      // it failed before, which was reported
    }
    out = Optional.empty();
  }

  /// Writes the buffered lines and closes the file; turns noted later are dropped.
  @Override
  public synchronized void close() {
    closed = true;
    try {
      if (out.isPresent()) {
        out.get().close();
        out = Optional.empty();
      }
    } catch (IOException full) {
      stop(full);
    }
  }
}
