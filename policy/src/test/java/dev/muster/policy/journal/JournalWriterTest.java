package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.cluster.Event;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalWriterTest {

  private static final JournalHeader HEADER =
      JournalHeader.of(Scene.RACKS, Policies.DEFAULT, Map.of());
  private static final Event TICK = new Event.Tick(Scene.START);
  private static final Step STEP = new Step(State.empty(Scene.RACKS), List.of(), List.of());

  @TempDir private Path scratch = Path.of("");

  private static JournalWriter writer(
      JournalFile.Disk.Opening disk, List<String> complaints, LongSupplier nanos) {
    return new JournalWriter(
        Path.of("j.jsonl"), new JournalFile.Disk(disk, 1 << 20), complaints::add, nanos);
  }

  @Test
  void full_disk_is_reported_once_and_blocks_nothing() throws IOException {
    List<String> complaints = new ArrayList<>();
    JournalWriter journal = writer(_ -> new FullDisk(), complaints, () -> 0);
    journal.begin(HEADER);
    for (int turn = 0; turn < 10_000; turn++) {
      journal.note(TICK, STEP);
    }
    journal.close();
    assertThat(complaints)
        .containsExactly(
            "The journal j.jsonl cannot be written (java.io.IOException: No space left on device)."
                + " It pauses until it can; scheduling continues.");
  }

  @Test
  void lines_reach_the_file_within_a_second() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    AtomicLong nanos = new AtomicLong(Long.MAX_VALUE); // overflows, as the platform's may
    JournalWriter journal = writer(_ -> file, new ArrayList<>(), nanos::get);
    journal.begin(HEADER);
    int before = file.size();
    nanos.addAndGet(999_999_999);
    journal.note(TICK, STEP);
    assertThat(file.size()).isEqualTo(before);
    nanos.addAndGet(1);
    journal.note(TICK, STEP);
    assertThat(file.toString(StandardCharsets.UTF_8).lines()).hasSize(3);
    journal.close();
  }

  @Test
  void full_disk_at_the_end_is_reported() throws IOException {
    List<String> complaints = new ArrayList<>();
    JournalWriter journal = writer(_ -> new FullDisk(), complaints, () -> 0);
    journal.begin(HEADER);
    journal.note(TICK, STEP);
    journal.close();
    journal.close();
    assertThat(complaints).hasSize(1);
  }

  @Test
  void full_disk_at_the_start_is_reported_and_blocks_nothing() throws IOException {
    List<String> complaints = new ArrayList<>();
    JournalWriter journal = writer(_ -> new FullDisk(), complaints, () -> 0);
    journal.begin(HEADER);
    journal.note(TICK, STEP);
    journal.close();
    assertThat(complaints).hasSize(1);
  }

  @Test
  void missing_place_is_reported_at_once() {
    assertThatThrownBy(() -> JournalWriter.open(scratch.resolve("no/j.jsonl"), HEADER, _ -> {}))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void foreign_file_is_left_unchanged() throws IOException {
    Path file = Files.writeString(scratch.resolve("muster.yaml"), "kind: MusterConfiguration");
    assertThatThrownBy(() -> JournalWriter.open(file, HEADER, _ -> {}))
        .isInstanceOf(MalformedJournal.class)
        .hasMessage(file + ": exists and is not a journal.");
    assertThat(file).hasContent("kind: MusterConfiguration");
  }

  @Test
  void file_that_cannot_be_read_does_not_stop_the_start() throws IOException {
    Path file = Files.createSymbolicLink(scratch.resolve("j.jsonl"), Path.of("/proc/self/mem"));
    List<String> complaints = new ArrayList<>();

    JournalWriter.open(file, HEADER, complaints::add).close(); // each read fails

    assertThat(complaints).hasSize(1).first().asString().contains("Input/output error");
  }

  @Test
  void journal_emptied_while_written_stays_valid() throws IOException {
    Path file = Files.writeString(scratch.resolve("j.jsonl"), "{\"event\":{}}\n");
    JournalWriter.open(file, HEADER, _ -> {}).close();
    assertThat(file).content().startsWith("{\"event\":{}}\n{\"apiVersion\"");
  }

  @Test
  void run_with_a_truncated_header_is_restarted() throws IOException {
    Path file = Files.writeString(scratch.resolve("j.jsonl"), "{\"apiVersion\":\"jour");
    JournalWriter.open(file, HEADER, _ -> {}).close();
    assertThat(file).content().startsWith("{\"apiVersion\":\"journal.muster.dev/v1\"");
  }

  @Test
  void long_torn_line_is_dropped_before_a_run_is_appended() throws IOException {
    Path file = scratch.resolve("j.jsonl");
    JournalWriter.open(file, HEADER, _ -> {}).close();
    String whole = Files.readString(file);
    Files.writeString(file, whole + "x".repeat(100_000));
    JournalWriter.open(file, HEADER, _ -> {}).close();
    assertThat(file).hasContent(whole + whole);
  }

  @Test
  void journal_of_another_writer_is_left_unchanged() throws IOException {
    Path file = scratch.resolve("j.jsonl");
    try (JournalWriter _ = JournalWriter.open(file, HEADER, _ -> {})) {
      String before = Files.readString(file);
      assertThatThrownBy(() -> JournalWriter.open(file, HEADER, _ -> {}))
          .isInstanceOf(FileSystemException.class)
          .hasMessageStartingWith(file + ": another process writes it. ");
      assertThat(file).hasContent(before);
    }
  }

  @Test
  void steps_after_the_end_are_dropped() throws IOException {
    Path file = scratch.resolve("j.jsonl");
    JournalWriter journal = JournalWriter.open(file, HEADER, _ -> {});
    journal.note(TICK, STEP);
    journal.close();
    journal.note(TICK, STEP);
    assertThat(Files.readAllLines(file)).hasSize(2);
  }

  private static final class FullDisk extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("No space left on device");
    }

    @Override
    public void write(byte[] b, int from, int length) throws IOException {
      throw new IOException("No space left on device");
    }
  }
}
