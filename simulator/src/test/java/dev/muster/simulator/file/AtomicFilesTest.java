package dev.muster.simulator.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Files are put in place once all of them are complete.
final class AtomicFilesTest {
  private static final List<String> NAMES = List.of("a", "below/b");
  private static final String KILLED = ".half-123e4567-e89b-12d3-a456-426614174000-42";

  @TempDir private Path folder;

  private void write(String text) throws IOException {
    AtomicFiles.write(
        folder,
        NAMES,
        half -> {
          for (String name : NAMES) {
            Files.writeString(half.resolve(name), text);
          }
        });
  }

  private Path left(String name) throws IOException {
    Path half = folder.resolve(name);
    Files.createDirectories(half.resolve("below"));
    Files.writeString(half.resolve("below/b"), "hal");
    Files.createFile(half.resolve("lock"));
    return half;
  }

  @Test
  void all_files_replace_the_old_ones() throws IOException {
    write("one");
    write("two");
    assertThat(folder.resolve("a")).content().isEqualTo("two");
    assertThat(folder.resolve("below/b")).content().isEqualTo("two");
    assertThat(folder).isDirectoryNotContaining("glob:**.half*");
  }

  @Test
  void old_files_remain_after_a_failure() throws IOException {
    write("one");
    assertThatThrownBy(() ->
            AtomicFiles.write(
                folder,
                NAMES,
                half -> {
                  Files.writeString(half.resolve("a"), "tw");
                  throw new IOException("the disk is full");
                }))
        .isInstanceOf(FileSystemException.class)
        .hasMessage(folder + ": the disk is full");
    assertThat(folder.resolve("a")).content().isEqualTo("one");
    assertThat(folder).isDirectoryNotContaining("glob:**.half*");
  }

  @Test
  void unwritable_file_is_named_as_by_its_user() {
    Path file = folder.resolve("../" + folder.getFileName() + "/a");
    String reason = ": the disk is full";
    assertThatThrownBy(() -> AtomicFiles.write(file, AtomicFilesTest::fail))
        .hasMessage(file + reason)
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() ->
            AtomicFiles.write(
                folder,
                NAMES,
                half -> AtomicFiles.write(half.resolve("below/b"), AtomicFilesTest::fail)))
        .as("one of several, whose name is known")
        .hasMessage(folder.resolve("below/b") + reason);
    assertThatThrownBy(() ->
            AtomicFiles.write(
                file,
                _ -> {
                  throw new UncheckedIOException(new IOException("the disk is full"));
                }))
        .as("as writers of tables have it")
        .hasMessage(file + reason);
  }

  @Test
  void malformed_input_is_reported_unchanged() {
    assertThatThrownBy(() ->
            AtomicFiles.write(
                folder,
                NAMES,
                _ -> {
                  throw MalformedFile.ofFile("trace.csv", "is empty.");
                }))
        .isInstanceOf(MalformedFile.class)
        .hasMessage("trace.csv: is empty.");
  }

  @Test
  @EnabledOnOs(OS.LINUX) // where there is a disk that is always full
  void unwritable_special_file_is_named() {
    assertThatThrownBy(
            () -> AtomicFiles.write(Path.of("/dev/full"), place -> Files.writeString(place, "one")))
        .hasMessageStartingWith("/dev/full: No space left on device");
  }

  private static void fail(Path place) throws IOException {
    Files.writeString(place, "hal");
    throw new IOException("the disk is full");
  }

  @Test
  void folder_in_the_place_of_a_file_keeps_the_old_files() throws IOException {
    Files.writeString(folder.resolve("a"), "one");
    Files.createDirectories(folder.resolve("below/b/c"));
    assertThatThrownBy(() -> write("two")).hasMessageContaining("below/b");
    assertThat(folder.resolve("a")).content().isEqualTo("one");
  }

  @Test
  void file_that_is_not_written_is_removed() throws IOException {
    write("one");
    AtomicFiles.write(folder, NAMES, half -> Files.writeString(half.resolve("a"), "two"));
    assertThat(folder.resolve("below/b")).doesNotExist();
  }

  @Test
  void files_of_a_killed_process_are_removed() throws IOException {
    Path half = left(KILLED);
    write("one");
    assertThat(half).doesNotExist();
  }

  @Test
  void folder_of_others_is_kept() throws IOException {
    Path others = left(".half-done");
    write("one");
    assertThat(others.resolve("below/b")).exists();
  }

  @Test
  void files_of_a_process_killed_before_its_first_file_are_removed() throws IOException {
    Path half = Files.createDirectory(folder.resolve(KILLED));
    write("one");
    assertThat(half).doesNotExist();
  }

  @Test
  void files_of_a_running_process_are_kept() throws IOException {
    Path half = left(KILLED);
    try (FileChannel lock = FileChannel.open(half.resolve("lock"), StandardOpenOption.WRITE);
        FileLock held = lock.lock()) {
      write("one");
      assertThat(held.isValid()).isTrue();
      assertThat(half.resolve("below/b")).content().isEqualTo("hal");
    }
  }

  @Test
  void special_file_is_written_in_place() throws IOException {
    AtomicFiles.write(Path.of("/dev/null"), place -> Files.writeString(place, "one"));
    assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
  }
}
