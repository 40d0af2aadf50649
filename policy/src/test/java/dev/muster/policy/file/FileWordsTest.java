package dev.muster.policy.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.policy.preemption.PolicySources;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the file system refuses is told in words, never by the name of a class.
class FileWordsTest {

  @Test
  void a_policy_that_is_missing(@TempDir Path folder) {
    Path none = folder.resolve("none.yaml");
    assertThat(PolicySources.of(none).problems())
        .extracting(FileProblem::render)
        .containsExactly(
            none + ": there is no such file or folder. Maybe the path is wrong, or make it first.");
  }

  @Test
  void a_file_that_must_not_be_read() {
    assertThat(FileWords.of(new AccessDeniedException("policy.yaml")))
        .isEqualTo("must not be read or written by this user. Maybe its permissions are wrong.");
  }

  @Test
  void a_failure_without_reason() {
    assertThat(FileWords.of(new FileSystemLoopException("policy.yaml")))
        .isEqualTo("cannot be read or written. Maybe the path is wrong.");
  }

  @Test
  void a_reason_that_has_its_remedy() {
    assertThat(FileWords.of(new FileSystemException("a", null, "is locked. Maybe wait")))
        .isEqualTo("is locked. Maybe wait.");
  }

  @Test
  void a_reason_that_the_disk_gives() {
    assertThat(FileWords.of(new IOException("Input/output error")))
        .isEqualTo("Input/output error. Maybe the disk is damaged.");
  }

  @Test
  void a_text_that_is_none(@TempDir Path folder) throws IOException {
    Path bytes = Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xff});
    assertThatThrownBy(() -> FileWords.text(bytes))
        .hasMessage(bytes + ": is not UTF-8 text. Maybe the path is wrong, or save it as UTF-8.");
    assertThatThrownBy(() -> FileWords.text(folder))
        .hasMessage(folder + ": is a folder. Maybe name a file in it.");
    Path none = folder.resolve("none");
    assertThatThrownBy(() -> FileWords.text(none))
        .hasMessageStartingWith(none + ": there is no such file or folder.");
  }
}
