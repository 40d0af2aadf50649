package dev.muster.server.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.policy.journal.JournalReader;
import dev.muster.policy.journal.JournalWriter;
import dev.muster.policy.journal.Replay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Timeout(20)
class JournalThreadTest {
  private static final JournalHeader HEADER =
      JournalHeader.of(new Topology(List.of()), Policies.DEFAULT, Map.of());

  @TempDir private Path folder = Path.of("");

  private JournalWriter writer() throws IOException {
    return JournalWriter.open(folder.resolve("j.jsonl"), HEADER, complaint -> fail(complaint));
  }

  private Replay replay() throws IOException {
    try (JournalReader journal = JournalReader.open(folder.resolve("j.jsonl"))) {
      return Replay.of(journal, header -> new Engine(header.plainPolicies()));
    }
  }

  private static void note(JournalThread journal, int second) {
    Step step = new Step(State.empty(HEADER.topology()), List.of(), List.of());
    journal.note(new Event.Tick(Instant.ofEpochSecond(second)), step);
  }

  @Test
  void all_entries_are_written_at_the_end() throws IOException {
    try (JournalThread journal = JournalThread.start(writer())) {
      for (int i = 0; i < 5_000; i++) {
        note(journal, i);
      }
    }
    assertThat(replay()).isEqualTo(new Replay(1, 5_000, 0, Optional.empty()));
  }

  @Test
  void hanging_disk_blocks_no_decision_and_the_gap_is_recorded() throws IOException {
    JournalWriter writer = writer();
    try (JournalThread journal = JournalThread.start(writer, 10)) {
      synchronized (writer) { // whoever writes waits for it, as for a disk that hangs
        for (int i = 0; i < 1_000; i++) {
          note(journal, i);
        }
      }
      while (!journal.isIdle()) {
        Thread.onSpinWait();
      }
      note(journal, 1_000);
    }
    Replay replay = replay();
    assertThat(replay.turns()).isBetween(10L, 11L);
    assertThat(replay.left()).isBetween(1L, 2L);
  }

  @Test
  void full_file_is_rotated_and_the_next_begins_with_the_state() throws IOException {
    Path file = folder.resolve("j.jsonl");
    JournalWriter writer = JournalWriter.open(file, HEADER, complaint -> fail(complaint), 10_000);
    State state = State.empty(HEADER.topology());
    Engine engine = new Engine(Policies.DEFAULT);
    try (JournalThread journal = JournalThread.start(writer)) {
      for (int i = 0; !Files.exists(folder.resolve("j.jsonl.1")); i++) {
        Event tick = new Event.Tick(Instant.ofEpochSecond(i));
        Step step = engine.step(state, tick);
        journal.note(tick, step);
        state = step.after();
        while (!journal.isIdle()) { // else the queue may be full before the file is
          Thread.onSpinWait();
        }
      }
    }
    assertThat(Files.readAllLines(file).getFirst()).contains("\"kind\":\"Image\"");
    Files.delete(folder.resolve("j.jsonl.1"));
    assertThat(replay().difference()).isEmpty();
    assertThat(replay().left()).isZero();
  }

  @Test
  void unwritable_step_does_not_end_the_journal() throws IOException {
    Path file = folder.resolve("j.jsonl");
    AtomicBoolean failed = new AtomicBoolean();
    Consumer<String> deep =
        _ -> {
          failed.set(true);
          throw new StackOverflowError("on purpose");
        };
    try (JournalThread journal = JournalThread.start(JournalWriter.open(file, HEADER, deep))) {
      Files.delete(file);
      for (int i = 0; !failed.get(); i++) { // it looks every second, and complains
        note(journal, i);
        LockSupport.parkNanos(10_000_000);
      }
      note(journal, 1_000_000);
    }
    assertThat(Files.readString(file)).contains("1970-01-12T13:46:40Z");
  }

  /// A large cluster sends more events at startup than the queue holds, faster than the disk
  /// writes.
  @Test
  void repeatedly_full_queue_is_reported_once() throws IOException {
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(JournalThread.class);
    told.start();
    logger.addAppender(told);
    try (JournalThread journal = JournalThread.start(writer(), 64)) {
      for (int i = 0; i < 100_000; i++) {
        note(journal, i);
      }
    } finally {
      logger.detachAppender(told);
    }
    assertThat(told.list).hasSize(1);
    assertThat(replay().difference()).isEmpty();
  }
}
