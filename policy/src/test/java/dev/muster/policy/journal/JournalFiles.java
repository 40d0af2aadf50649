package dev.muster.policy.journal;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A random history, the journal files that hold it, and a disk that can be full.
abstract class JournalFiles {
  static final JournalHeader HEADER = JournalHeader.of(Scene.RACKS, Policies.DEFAULT, Map.of());
  static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  static final long ENDLESS = Long.MAX_VALUE;

  @TempDir Path scratch = Path.of("");
  Path file = Path.of("");
  final List<String> complaints = new ArrayList<>();
  long nanos;
  boolean full;
  boolean readOnly;

  @BeforeEach
  void name() {
    file = scratch.resolve("j.jsonl");
  }

  JournalWriter writer(long limit) {
    var disk = new JournalFile.Disk(FullDisk::new, limit);
    return new JournalWriter(file, disk, complaints::add, () -> nanos);
  }

  void write(List<Event> events, long limit) throws IOException {
    JournalWriter journal = writer(limit);
    journal.begin(HEADER);
    note(journal, State.empty(Scene.RACKS), events);
    journal.close();
  }

  static State note(JournalWriter journal, State start, List<Event> events) {
    Engine engine = new Engine(Policies.DEFAULT);
    State state = start;
    for (Event event : events) {
      Step step = engine.step(state, event);
      journal.note(event, step);
      state = step.after();
    }
    return state;
  }

  long size(List<Event> events) throws IOException {
    Path whole = file;
    file = scratch.resolve("whole.jsonl");
    write(events, ENDLESS);
    long size = Files.size(file);
    Files.delete(file);
    file = whole;
    return size;
  }

  static List<Event> history() {
    RandomWorkload workload = new RandomWorkload(7);
    for (int turn = 0; turn < 60; turn++) {
      workload.turn();
    }
    return workload.scene().told();
  }

  static Replay replay(Path file) throws IOException {
    try (JournalReader journal = JournalReader.open(file)) {
      return Replay.of(journal, _ -> new Engine(Policies.DEFAULT));
    }
  }

  /// A file that refuses to be written while the disk is full, and to be opened while it is
  /// read-only.
  class FullDisk extends OutputStream {
    private final OutputStream real;

    FullDisk(Path path) throws IOException {
      if (readOnly) {
        throw new FileSystemException(path.toString(), null, "Read-only file system");
      }
      real = LineFile.append(path);
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int from, int length) throws IOException {
      if (full) {
        real.write(b, from, length / 2);
        throw new IOException("No space left on device");
      }
      real.write(b, from, length);
    }

    @Override
    public void close() throws IOException {
      real.close();
    }
  }
}
