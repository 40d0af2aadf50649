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

/// Files are put in place when all of them are whole.
final class AtomicFilesTest {
  private static final List<String> NAMES = List.of("a", "below/b");

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
  void all_of_them_replace_those_before() throws IOException {
    write("one");
    write("two");
    assertThat(folder.resolve("a")).content().isEqualTo("two");
    assertThat(folder.resolve("below/b")).content().isEqualTo("two");
    assertThat(folder).isDirectoryNotContaining("glob:**.half*");
  }

  @Test
  void after_a_failure_those_before_are_there() throws IOException {
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
  void a_file_that_cannot_be_written_is_named_as_its_user_did() {
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
  void what_is_wrong_with_an_input_is_told_as_it_is() {
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
  void what_is_no_file_is_named_when_it_cannot_be_written() {
    assertThatThrownBy(
            () -> AtomicFiles.write(Path.of("/dev/full"), place -> Files.writeString(place, "one")))
        .hasMessageStartingWith("/dev/full: No space left on device");
  }

  private static void fail(Path place) throws IOException {
    Files.writeString(place, "hal");
    throw new IOException("the disk is full");
  }

  @Test
  void a_folder_in_the_way_leaves_those_before() throws IOException {
    Files.writeString(folder.resolve("a"), "one");
    Files.createDirectories(folder.resolve("below/b/c"));
    assertThatThrownBy(() -> write("two")).hasMessageContaining("below/b");
    assertThat(folder.resolve("a")).content().isEqualTo("one");
  }

  @Test
  void one_that_is_not_written_is_gone() throws IOException {
    write("one");
    AtomicFiles.write(folder, NAMES, half -> Files.writeString(half.resolve("a"), "two"));
    assertThat(folder.resolve("below/b")).doesNotExist();
  }

  @Test
  void what_a_killed_process_left_is_removed() throws IOException {
    Path half = left(".half-killed");
    write("one");
    assertThat(half).doesNotExist();
  }

  @Test
  void what_one_left_that_was_killed_before_its_first_file_is_removed() throws IOException {
    Path half = Files.createDirectory(folder.resolve(".half-killed"));
    write("one");
    assertThat(half).doesNotExist();
  }

  @Test
  void what_another_is_writing_is_not() throws IOException {
    Path half = left(".half-alive");
    try (FileChannel lock = FileChannel.open(half.resolve("lock"), StandardOpenOption.WRITE);
        FileLock held = lock.lock()) {
      write("one");
      assertThat(held.isValid()).isTrue();
      assertThat(half.resolve("below/b")).content().isEqualTo("hal");
    }
  }

  @Test
  void what_is_no_file_is_written_to_as_it_stands() throws IOException {
    AtomicFiles.write(Path.of("/dev/null"), place -> Files.writeString(place, "one"));
    assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
  }
}
