package dev.muster.simulator.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Writes files that belong together: all of them, or none.
///
/// They are written to a folder of their own beside their place, and moved there when all are
/// whole. That folder is locked as long as its process lives; one whose process was killed is
/// removed by the next that writes to the same place.
public final class WholeFiles {
  private static final String HALF = ".half-";
  private static final String OURS = HALF + UUID.randomUUID() + "-"; // of this process
  private static final String LOCK = "lock";

  private WholeFiles() {}

  /// Writes the files.
  @FunctionalInterface
  public interface Writing {
    /// Writes each to its name in this folder; one that is not written is not there afterwards.
    void into(Path place) throws IOException;
  }

  /// Puts files in place: those that were there by these names are replaced, all together.
  ///
  /// @param folder made if it is not there
  /// @param names of the files; with `/` they are in folders below
  /// @throws IOException if one cannot be written; then those that were there still are
  public static void write(Path folder, List<String> names, Writing writing) throws IOException {
    Files.createDirectories(folder);
    clear(folder);
    Path half = Files.createTempDirectory(folder, OURS);
    try (FileChannel channel = lockFile(half);
        FileLock _ = locked(channel)) {
      for (String name : names) {
        Files.createDirectories(half.resolve(name).getParent());
        Files.createDirectories(folder.resolve(name).getParent());
        if (Files.isDirectory(folder.resolve(name))) {
          throw new FileSystemException(folder.resolve(name).toString(), null, "is a folder");
        }
      }
      writing.into(half);
      for (String name : names) {
        if (names.size() > 1 || !Files.exists(half.resolve(name))) {
          Files.deleteIfExists(folder.resolve(name)); // killed from here on, none, but no mixture
        }
      }
      for (String name : names) {
        if (Files.exists(half.resolve(name))) {
          Files.move(half.resolve(name), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        }
      }
    } finally {
      delete(half);
    }
  }

  /// The same with one file, in a folder that is there. What is no file, such as `/dev/stdout`, is
  /// written to as it stands.
  ///
  /// @param writing is told where to write it
  /// @throws IOException if it cannot be written; then the one that was there still is
  public static void write(Path file, Writing writing) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      writing.into(file);
      return;
    }
    Path real = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
    Path folder = real.resolveSibling("");
    if (!Files.isDirectory(folder)) {
      throw Files.exists(folder)
          ? new FileSystemException(file.toString(), null, "Not a directory")
          : new NoSuchFileException(file.toString());
    }
    String name = real.getFileName().toString();
    write(folder, List.of(name), half -> writing.into(half.resolve(name)));
  }

  /// Sees to it that what is written does not take the place of what is read.
  ///
  /// @param option that names the file that is read
  /// @throws IllegalArgumentException if the two are one file
  /// @throws IOException if that cannot be told
  public static void spare(Path written, Path read, String option) throws IOException {
    if (Files.exists(read) && Files.exists(written) && Files.isSameFile(read, written)) {
      throw new IllegalArgumentException(
          "%s is read (%s), and would be written over by the results. Maybe name another folder with --out."
              .formatted(written, option));
    }
  }

  private static FileChannel lockFile(Path half) throws IOException {
    return FileChannel.open(
        half.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /// Null where the file system has no locks: then what is left of a killed process stays.
  private static @Nullable FileLock locked(FileChannel channel) {
    try {
      return channel.tryLock();
    } catch (IOException | OverlappingFileLockException _) {
      return null;
    }
  }

  /// Removes what processes left that were killed.
  private static void clear(Path folder) {
    try (DirectoryStream<Path> halves = Files.newDirectoryStream(folder, HALF + "*")) {
      for (Path half : halves) {
        if (!half.getFileName().toString().startsWith(OURS) && isLeft(half)) {
          delete(half);
        }
      }
    } catch (IOException | DirectoryIteratorException | UncheckedIOException _) {
      // somebody else removes it, too, or it is not ours to remove
    }
  }

  private static boolean isLeft(Path half) {
    try (FileChannel channel = FileChannel.open(half.resolve(LOCK), StandardOpenOption.WRITE);
        FileLock lock = locked(channel)) {
      return lock != null;
    } catch (IOException _) {
      return false; // it is just being made, or gone already
    }
  }

  private static void delete(Path half) throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(half)) {
      all = found.toList().reversed(); // what is in a folder before the folder
    }
    for (Path each : all) {
      Files.deleteIfExists(each);
    }
  }
}
