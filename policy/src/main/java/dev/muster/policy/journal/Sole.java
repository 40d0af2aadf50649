package dev.muster.policy.journal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// A file that one process at a time writes: two that append to one journal make a run of it that
/// never was. It is locked until the stream is closed, or the process is over.
///
/// The lock hangs on the file and not on its name, so one that is put aside stays locked. A process
/// that closes the file, however it opened it, gives its lock back: so nothing else here may open
/// it meanwhile.
final class Sole extends FilterOutputStream {

  private final FileChannel guard;

  private Sole(OutputStream out, FileChannel guard) {
    super(out);
    this.guard = guard;
  }

  /// What is done to the file once it is ours, before it is written.
  interface Preparation {
    void on(FileChannel file) throws IOException;
  }

  /// Opens the file at its end; makes it if it is not there. Pipes and devices are opened as they
  /// are.
  ///
  /// @throws IOException if another writes it
  static OutputStream append(Path path, Preparation preparation) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      return Files.newOutputStream(path, StandardOpenOption.APPEND);
    }
    FileChannel guard =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (isTaken(guard)) {
        throw new FileSystemException(
            path.toString(),
            null,
            "another process writes it. Maybe another Muster has the same configuration; name a file for each");
      }
      preparation.on(guard);
      return new Sole(Files.newOutputStream(path, StandardOpenOption.APPEND), guard);
    } catch (IOException | RuntimeException e) {
      guard.close();
      throw e;
    }
  }

  /// Where the file system has no locks nobody can tell, and it counts as ours.
  private static boolean isTaken(FileChannel guard) {
    try {
      @Nullable FileLock lock = guard.tryLock();
      return lock == null;
    } catch (OverlappingFileLockException _) { // by another writer of this process
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    out.write(bytes, from, count); // at once, not byte by byte
  }

  @Override
  public void close() throws IOException {
    try (guard) {
      super.close();
    }
  }
}
