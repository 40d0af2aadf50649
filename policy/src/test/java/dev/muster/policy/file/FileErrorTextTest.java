package dev.muster.policy.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Errors of the file system are reported in words, never by the name of a class.
class FileErrorTextTest {

  @Test
  void missing_policy_is_reported(@TempDir Path folder) {
    Path none = folder.resolve("none.yaml");
    assertThat(PolicySources.of(none).problems())
        .extracting(FileProblem::render)
        .containsExactly(none + ": no such file or folder.");
  }

  @Test
  void unreadable_file_is_reported() {
    assertThat(FileErrorText.of(new AccessDeniedException("policy.yaml")))
        .isEqualTo("permission denied.");
  }

  @Test
  void failure_without_a_reason_is_reported() {
    assertThat(FileErrorText.of(new FileSystemLoopException("policy.yaml")))
        .isEqualTo("cannot be read or written.");
  }

  @Test
  void known_reason_has_a_remedy() {
    assertThat(FileErrorText.of(new FileSystemException("a", null, "is locked. Maybe wait")))
        .isEqualTo("is locked. Maybe wait.");
  }

  @Test
  void reason_given_by_the_disk_is_kept() {
    assertThat(FileErrorText.of(new IOException("Input/output error")))
        .isEqualTo("Input/output error.");
  }

  @Test
  void malformed_text_is_reported(@TempDir Path folder) throws IOException {
    Path bytes = Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xff});
    assertThatThrownBy(() -> FileErrorText.text(bytes)).hasMessage(bytes + ": is not UTF-8 text.");
    assertThatThrownBy(() -> FileErrorText.text(folder)).hasMessage(folder + ": is a folder.");
    Path none = folder.resolve("none");
    assertThatThrownBy(() -> FileErrorText.text(none))
        .hasMessage(none + ": no such file or folder.");
  }

  @Test
  void file_that_is_too_large_is_reported(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("large");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength((16 << 20) + 1);
    }
    assertThatThrownBy(() -> FileErrorText.text(file))
        .hasMessage(file + ": is larger than 16 MiB.");
  }
}
