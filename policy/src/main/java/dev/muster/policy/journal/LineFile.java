package dev.muster.policy.journal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// A file of complete lines that one process at a time appends to, also after a crash.
public final class LineFile {

  private static final int BLOCK_BYTES = 1 << 13;

  /// The words of the operating system for a disk that may recover.
  private static final Set<String> DISK_FAILURES =
      Set.of(
          "Read-only file system",
          "No space left on device",
          "Disk quota exceeded",
          "Input/output error");

  private LineFile() {}

  /// True if the file exists and does not begin like any of `beginnings`. It must not be opened for
  /// appending then, as this may drop text.
  ///
  /// A file shorter than a beginning, as a crash may leave it, counts if it is a prefix of one.
  public static boolean holdsOther(Path path, List<String> beginnings) throws IOException {
    if (!Files.isRegularFile(path)) {
      return false;
    }
    int most = beginnings.stream().mapToInt(String::length).max().orElse(0);
    try (InputStream in = Files.newInputStream(path)) {
      String found = new String(in.readNBytes(most), StandardCharsets.ISO_8859_1);
      return beginnings.stream()
          .noneMatch(beginning -> found.startsWith(beginning) || beginning.startsWith(found));
    }
  }

  /// Opens the file at its end and drops text after its last line break; creates it if missing.
  ///
  /// It is locked until the stream is closed. Read the file before: if this process opens it a
  /// second time and closes it, the lock is released. Pipes and devices are opened as they are.
  ///
  /// @throws IOException if it cannot be written, or another process writes it
  public static OutputStream append(Path path) throws IOException {
    return SingleWriterLock.append(path, LineFile::dropTorn);
  }

  /// True if the disk failed, so that a later attempt may succeed.
  ///
  /// Other failures are mistakes in a configuration, such as a missing folder or a file of another
  /// process.
  public static boolean isDiskFailure(IOException failure) {
    String reason =
        failure instanceof FileSystemException of ? of.getReason() : failure.getMessage();
    return reason != null && DISK_FAILURES.contains(reason);
  }

  private static void dropTorn(FileChannel file) throws IOException {
    long end = end(file);
    if (end < file.size()) {
      file.truncate(end);
    }
  }

  private static long end(FileChannel file) throws IOException {
    for (long to = file.size(); to > 0; to = Math.max(0, to - BLOCK_BYTES)) {
      long from = Math.max(0, to - BLOCK_BYTES);
      ByteBuffer block = ByteBuffer.allocate((int) (to - from));
      while (block.hasRemaining() && file.read(block, from + block.position()) >= 0) {
        // until the block is full
      }
      for (int at = block.position() - 1; at >= 0; at--) {
        if (block.get(at) == '\n') {
          return from + at + 1;
        }
      }
    }
    return 0;
  }
}
