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

/// An output stream to a file that one process at a time may write.
///
/// Two processes that append to one journal would mix their runs. The file is locked until the
/// stream is closed or the process ends. The lock belongs to the file and not to its name, so a
/// rotated file stays locked. If this process opens the file a second time and closes it, the lock
/// is released: no other code here may open it meanwhile.
final class SingleWriterLock extends FilterOutputStream {

  private final FileChannel guard;

  private SingleWriterLock(OutputStream out, FileChannel guard) {
    super(out);
    this.guard = guard;
  }

  /// An action on the locked file before the first write.
  interface Preparation {
    void on(FileChannel file) throws IOException;
  }

  /// Opens the file at its end; creates it if missing. Pipes and devices are opened as they are.
  ///
  /// @throws IOException if another process writes it
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
            "another process writes it. Each Muster needs a file of its own");
      }
      preparation.on(guard);
      return new SingleWriterLock(Files.newOutputStream(path, StandardOpenOption.APPEND), guard);
    } catch (IOException | RuntimeException e) {
      guard.close();
      throw e;
    }
  }

  /// True if another writer holds the lock. A file system without locks counts as free.
  private static boolean isTaken(FileChannel guard) {
    try {
      @Nullable FileLock lock = guard.tryLock();
      return lock == null;
    } catch (OverlappingFileLockException _) { // another writer of this process
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
