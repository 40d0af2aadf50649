package dev.muster.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.policy.journal.LineFile;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The ledger is written to bounded, rotated files.
class LedgerFileTest {
  private static final int THREE_LINES = 3 * "line 10\n".length();

  @TempDir private Path folder = Path.of("");

  private Path path() {
    return folder.resolve("ledger.jsonl");
  }

  private void write(int from, int to) throws IOException {
    try (LedgerFile file = LedgerFile.open(path(), THREE_LINES)) {
      for (int i = from; i < to; i++) {
        file.append("line " + i);
      }
    }
  }

  private List<String> newest(int most) {
    return LedgerFile.newest(path(), most);
  }

  private static List<String> lines(int from, int to) {
    return IntStream.range(from, to).mapToObj("line %d"::formatted).toList();
  }

  @Test
  void file_of_others_with_the_name_of_the_next_one_is_left_alone() throws IOException {
    Path others = Files.writeString(folder.resolve("ledger.jsonl.new"), "mine");
    write(1, 8);

    assertThat(others).hasContent("mine");
    assertThat(newest(100)).isEqualTo(lines(1, 8));
  }

  @Test
  void full_file_is_rotated() throws IOException {
    write(10, 15);
    assertThat(Files.readAllLines(path())).isEqualTo(lines(13, 15));
    assertThat(Files.readAllLines(folder.resolve("ledger.jsonl.1"))).isEqualTo(lines(10, 13));
  }

  @Test
  void huge_files_are_read_from_their_end() throws IOException {
    try (FileChannel huge =
        FileChannel.open(path(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      huge.write(StandardCharsets.UTF_8.encode("\nline 1\nline 2\n"), 3L << 30); // a sparse file
    }

    assertThat(newest(10)).isEqualTo(lines(1, 3));
  }

  @Test
  void file_that_cannot_be_read_does_not_hide_the_others() throws IOException {
    write(10, 15);
    Path broken = folder.resolve("ledger.jsonl.2");
    Files.createSymbolicLink(broken, Path.of("/proc/self/mem")); // each read fails

    assertThat(newest(10)).isEqualTo(lines(10, 15));
  }

  @Test
  void oldest_file_is_dropped() throws IOException {
    write(10, 99);
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(LedgerFile.KEPT + 1);
    }
    assertThat(newest(1_000)).isEqualTo(lines(85, 99));
  }

  @Test
  void newest_lines_of_all_files_are_available_after_a_restart() throws IOException {
    write(10, 14);
    write(14, 18);
    assertThat(newest(5)).isEqualTo(lines(13, 18));
  }

  @Test
  void truncated_line_damages_no_other_line() throws IOException {
    Files.writeString(path(), "line 10\nlin");
    write(11, 12);
    assertThat(Files.readAllLines(path())).containsExactly("line 10", "line 11");
  }

  @Test
  void line_truncated_by_a_full_disk_damages_no_other_line() throws IOException {
    AtomicBoolean full = new AtomicBoolean();
    try (LedgerFile file = LedgerFile.open(path(), 100, place -> filling(place, full))) {
      file.append("line 10");
      full.set(true);
      assertThatThrownBy(() -> file.append("line 11")).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> file.append("line 12")).isInstanceOf(IOException.class);
      full.set(false);
      file.append("line 13");
    }
    assertThat(Files.readAllLines(path())).containsExactly("line 10", "line 13");
  }

  @Test
  void ledger_on_a_read_only_disk_is_written_when_it_can_be() throws IOException {
    AtomicBoolean readOnly = new AtomicBoolean(true);
    try (LedgerFile file = LedgerFile.open(path(), 100, place -> opened(place, readOnly))) {
      assertThatThrownBy(() -> file.append("line 10")).hasMessageContaining("Read-only");
      readOnly.set(false);
      file.append("line 11");
      file.append("line 12");
    }
    assertThat(Files.readAllLines(path())).containsExactly("line 11", "line 12");
  }

  private static OutputStream opened(Path place, AtomicBoolean readOnly) throws IOException {
    if (readOnly.get()) {
      throw new FileSystemException(place.toString(), null, "Read-only file system");
    }
    return LineFile.append(place);
  }

  /// A disk that takes three more bytes when it is full.
  private static OutputStream filling(Path place, AtomicBoolean full) throws IOException {
    return new FilterOutputStream(LineFile.append(place)) {
      @Override
      public void write(byte[] bytes) throws IOException {
        out.write(bytes, 0, full.get() ? 3 : bytes.length);
        if (full.get()) {
          throw new IOException("No space left on device");
        }
      }
    };
  }

  @Test
  void long_line_has_its_own_file() throws IOException {
    try (LedgerFile file = LedgerFile.open(path(), 4)) {
      file.append("longer than that");
      file.append("and another");
    }
    assertThat(Files.readAllLines(path())).containsExactly("and another");
  }

  @Test
  void file_that_cannot_be_rotated_grows_and_loses_nothing() throws IOException {
    write(10, 99);
    Path blocked = folder.resolve("ledger.jsonl.new"); // no file can be opened there
    Files.createDirectory(blocked);
    write(99, 150);
    Files.delete(blocked);
    write(150, 151);
    assertThat(newest(1_000)).endsWith("line 150").hasSize(9 + 2 + 51 + 1);
  }

  @Test
  void deleted_or_moved_file_is_recreated() throws IOException {
    try (LedgerFile file = LedgerFile.open(path(), THREE_LINES)) {
      file.append("line 10");
      Files.delete(path());
      file.append("line 11");
      Files.move(path(), folder.resolve("kept"));
      file.append("line 12");
    }
    assertThat(newest(5)).containsExactly("line 12");
    assertThat(folder.resolve("kept")).hasContent("line 11");
  }

  @Test
  void truncated_character_hides_no_line() throws IOException {
    byte[] umlaut = "ü".getBytes(StandardCharsets.UTF_8);
    Files.write(path(), new byte[] {umlaut[0], '\n'});
    write(11, 12);
    assertThat(newest(5)).containsExactly("\uFFFD", "line 11");
  }

  @Test
  void only_one_process_writes_the_file() throws IOException {
    try (LedgerFile file = LedgerFile.open(path(), THREE_LINES)) {
      assertThatThrownBy(() -> LedgerFile.open(path(), THREE_LINES))
          .hasMessageContaining("another process writes it");
      for (String line : lines(10, 14)) {
        file.append(line); // and put aside once
      }
      assertThatThrownBy(() -> LedgerFile.open(path(), THREE_LINES))
          .hasMessageContaining("another process writes it");
    }
    write(14, 15);
    assertThat(newest(5)).isEqualTo(lines(10, 15));
  }

  @Test
  void missing_folder_is_reported() {
    assertThatThrownBy(() -> LedgerFile.open(folder.resolve("no/ledger.jsonl")))
        .isInstanceOf(NoSuchFileException.class); // which is put into words
  }
}
