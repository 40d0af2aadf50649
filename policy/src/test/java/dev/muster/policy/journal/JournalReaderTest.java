package dev.muster.policy.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.cluster.Event;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The reader reports journals that a crash or an editor damaged.
class JournalReaderTest {

  private static final String HEADER =
      """
      {"apiVersion":"journal.muster.dev/v1","kind":"Header","topology":[],"policies":{}}
      """;
  private static final String TICK =
      """
      {"event":{"type":"Tick","at":"2026-11-01T00:00:00Z"},"decisions":[]}
      """;

  @TempDir private Path scratch = Path.of("");
  private Path file = Path.of("");

  @BeforeEach
  void name() {
    file = scratch.resolve("j.jsonl");
  }

  @Test
  void torn_last_line_is_left_out() throws IOException {
    try (JournalReader reader = read(HEADER + TICK + TICK.substring(0, 30))) {
      assertThat(reader.next()).get().isInstanceOf(JournalHeader.class);
      assertThat(reader.isTorn()).isFalse();
      assertThat(reader.next())
          .get()
          .extracting(entry -> ((JournalEntry.Turn) entry).event())
          .isEqualTo(new Event.Tick(Instant.parse("2026-11-01T00:00:00Z")));
      assertThat(reader.next()).isEmpty();
      assertThat(reader.isTorn()).isTrue();
      assertThat(reader.next()).isEmpty();
    }
  }

  @Test
  void empty_journal_has_no_entries() throws IOException {
    try (JournalReader reader = read("")) {
      assertThat(reader.next()).isEqualTo(Optional.empty());
    }
  }

  @Test
  void truncated_compressed_journal_is_reported() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write((HEADER + TICK).getBytes(UTF_8));
    }
    Files.write(file, Arrays.copyOf(packed.toByteArray(), packed.size() / 2));
    assertThatThrownBy(
            () -> {
              try (JournalReader reader = JournalReader.open(file)) {
                while (reader.next().isPresent()) {}
              }
            })
        .isInstanceOf(MalformedJournal.class)
        .hasMessage(file + ": the compressed data is cut off or damaged.");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5, 9})
  void compressed_journal_truncated_before_its_data_is_reported(int length) throws IOException {
    Files.write(file, Arrays.copyOf(new byte[] {0x1f, (byte) 0x8b, 8}, length));
    assertThatThrownBy(
            () -> {
              try (JournalReader reader = JournalReader.open(file)) {
                reader.next();
              }
            })
        .isInstanceOf(MalformedJournal.class)
        .hasMessageContaining("j.jsonl: the compressed data is cut off or damaged.");
  }

  @Test
  void compressed_journal_with_damaged_first_bytes_is_reported() throws IOException {
    Files.write(file, new byte[] {0x1f, (byte) 0x8b, 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'});
    assertThatThrownBy(() -> JournalReader.open(file))
        .isInstanceOf(MalformedJournal.class)
        .hasMessageContaining("j.jsonl: the compressed data is cut off or damaged.");
  }

  @Test
  @EnabledOnOs(OS.LINUX) // where there is a file of which no byte can be read
  void unreadable_file_is_reported() {
    assertThatThrownBy(() -> JournalReader.open(Path.of("/proc/self/mem")))
        .isInstanceOf(MalformedJournal.class)
        .hasMessage("/proc/self/mem: Input/output error.")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  @Timeout(60)
  void pipe_is_read_once() throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    Thread writer =
        Thread.ofVirtual()
            .start(() -> {
              try {
                Files.writeString(file, HEADER + TICK, StandardOpenOption.WRITE);
              } catch (IOException gone) {
                throw new UncheckedIOException(gone);
              }
            });
    try (JournalReader reader = JournalReader.open(file)) {
      assertThat(reader.next()).get().isInstanceOf(JournalHeader.class);
      assertThat(reader.next()).get().isInstanceOf(JournalEntry.Turn.class);
      assertThat(reader.next()).isEmpty();
    }
    writer.join();
  }

  @Test
  void malformed_line_can_be_skipped() throws IOException {
    try (JournalReader reader = read(HEADER + "nonsense\n" + TICK)) {
      reader.next();
      assertThatThrownBy(reader::next)
          .isInstanceOf(MalformedJournal.class)
          .hasMessageContaining("j.jsonl:2:");
      assertThat(reader.next()).get().isInstanceOf(JournalEntry.Turn.class);
      assertThat(reader.line()).isEqualTo(3);
    }
  }

  @Test
  void journal_starts_with_a_header() throws IOException {
    try (JournalReader reader = read(TICK)) {
      assertThatThrownBy(reader::next)
          .hasMessage(file + ":1:1: The journal does not start with a header.");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"job\":\"a\",\"gpus\":8}", "job,gpus", "", "[]"})
  void file_that_is_not_a_journal_is_reported(String line) throws IOException {
    try (JournalReader reader = read(line + "\n")) {
      assertThatThrownBy(reader::next)
          .hasMessage(
              file
                  + ":1:1: The file is not a journal: its first line is not a header, which begins with apiVersion.");
    }
  }

  @Test
  void folder_is_reported() {
    assertThatThrownBy(() -> JournalReader.open(scratch))
        .isInstanceOf(MalformedJournal.class)
        .hasMessage(scratch + ": is a folder.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"event":{"type":"Tock","at":"2026-11-01T00:00:00Z"},"decisions":[]} | event: unknown type "Tock". Known: [NodeSeen,
          {"event":{"type":"Tick"},"decisions":[]} | event.at:
          {"event":{"type":"Tick","at":"noon"},"decisions":[]} | event.at: Text 'noon' could not be parsed
          {"event":{"type":"Tick","at":7},"decisions":[]} | event.at: Expected text.
          {"event":{"type":"Tick","at":"2026-11-01T00:00:00Z","x":1},"decisions":[]} | event.x: unknown field. Known: [at, lost].
          {"event":{"type":"Tick","at":"2026-11-01T00:00:00Z"}} | decisions: the field is missing.
          {"job":"a"} | event: the field is missing.
          {"event":{"type":"Tick","at":"2026-11-01T00:00:00Z"},"decisions":7} | The decisions are not a list.
          {"event":{"type":"NodeGone","at":"2026-11-01T00:00:00Z","node":""},"decisions":[]} | event.node: A node has no name.
          {"event":{"type":"MemberGone","at":"2026-11-01T00:00:00Z","gang":{"namespace":"a","origin":"POD","name":"b"},"member":{"namespace":"a","name":"b","uid":" "}},"decisions":[]} | event.member: The pod id has namespace (a), name (b) and uid ( ); all must be given.
          {"event":{"type":"ReservationWritten","at":"2026-11-01T00:00:00Z","gang":{"namespace":"a","origin":"POD","name":"b"}},"decisions":[]} | edition
          {"event":{"type":"Tick","at":"2026-11-01T00:00:00Z"},"decisions":[} | is not JSON: Unexpected close marker
          {"apiVersion":"journal.muster.dev/v9","kind":"Header","topology":[],"policies":{}} | The line is a Header of journal.muster.dev/v9. Known:
          {"apiVersion":"journal.muster.dev/v1","kind":"Header","topology":[{"name":"rack","label":""}],"policies":{}} | topology[0]: Topology level "rack" has no label.
          `` | The line is empty.
          """)
  void malformed_line_is_reported_with_its_place(String line, String complaint) throws IOException {
    try (JournalReader reader = read(HEADER + line + "\n")) {
      reader.next();
      assertThatThrownBy(reader::next)
          .isInstanceOf(MalformedJournal.class)
          .message()
          .matches(message ->
              message.matches(
                  "(?s)" + java.util.regex.Pattern.quote(file.toString()) + ":2:[1-9]\\d*: .*"))
          .contains(complaint)
          .doesNotContain("Jackson", "com.fasterxml", "dev.muster", "FAIL_ON", "creator");
    }
  }

  private JournalReader read(String content) throws IOException {
    Files.writeString(file, content);
    return JournalReader.open(file);
  }
}
