package dev.muster.simulator.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
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
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Writes files that belong together: all of them, or none.
///
/// They are written to a temporary folder beside their target, and moved there when all are
/// complete. The process locks that folder while it lives. The folder of a killed process is
/// removed by the next process that writes to this target.
///
/// The lock file is created first in the folder and removed last. A folder without a lock file is
/// therefore empty, and it is removed only while it is empty.
public final class AtomicFiles {
  private static final String HALF = ".half-";
  private static final String OURS = HALF + UUID.randomUUID() + "-"; // unique to this process
  private static final String LOCK = "lock";

  /// Names of temporary folders: [#OURS] of any process, and a random number.
  private static final Pattern HALVES =
      Pattern.compile("\\.half-\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}-\\d+");

  private AtomicFiles() {}

  /// Writes the files.
  @FunctionalInterface
  public interface Writing {
    /// Writes each file under its name into this folder; a file that is left out is removed from
    /// the target.
    void into(Path place) throws IOException;
  }

  /// Writes files to a folder; existing files of these names are replaced together.
  ///
  /// @param folder the target folder, created if it does not exist
  /// @param names names of the files; a name with `/` is in a subfolder
  /// @throws IOException if one cannot be written; the existing files are then kept
  public static void write(Path folder, List<String> names, Writing writing) throws IOException {
    Files.createDirectories(folder);
    clear(folder);
    try (Half half = made(folder)) {
      writeAndMove(half.place(), folder, names, place -> told(writing, place, folder));
    }
  }

  /// Writes, and adds the file name to errors.
  ///
  /// The error of an open file has a reason only.
  private static void told(Writing writing, Path place, Path named) throws IOException {
    try {
      writing.into(place);
    } catch (UncheckedIOException failed) { // thrown by table writers
      throw named(Objects.requireNonNull(failed.getCause()), place, named);
    } catch (IOException failed) {
      throw named(failed, place, named);
    }
  }

  /// Returns the exception with the name of the target file.
  ///
  /// Other exception classes name their file already and are returned unchanged. A file in the
  /// temporary folder is replaced by its target, since the user knows only that name.
  private static IOException named(IOException failed, Path place, Path named) {
    if (failed.getClass().equals(IOException.class)) {
      return because(failed, named, String.valueOf(failed.getMessage()));
    }
    if (failed instanceof FileSystemException of
        && of.getClass().equals(FileSystemException.class)
        && Path.of(of.getFile()).startsWith(place)) {
      return because(
          failed, named.resolve(place.relativize(Path.of(of.getFile()))), of.getReason());
    }
    return failed;
  }

  private static IOException because(IOException cause, Path file, String reason) {
    var told = new FileSystemException(file.toString(), null, reason);
    told.initCause(cause);
    return told;
  }

  private static void writeAndMove(Path half, Path folder, List<String> names, Writing writing)
      throws IOException {
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
        Files.deleteIfExists(folder.resolve(name)); // a kill from here on leaves no mixture
      }
    }
    for (String name : names) {
      if (Files.exists(half.resolve(name))) {
        Files.move(half.resolve(name), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  /// Writes one file to an existing folder, or leaves the existing file.
  ///
  /// A path that is not a regular file, such as `/dev/stdout`, is written directly.
  ///
  /// @param writing receives the path to write to
  /// @throws IOException if it cannot be written; the existing file is then kept
  public static void write(Path file, Writing writing) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      told(writing, file, file);
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
    write(folder, List.of(name), half -> told(writing, half.resolve(name), file));
  }

  /// Checks that a written file does not replace an input file.
  ///
  /// @param option the option that names the input file
  /// @throws IllegalArgumentException if both are one file
  /// @throws IOException if the files cannot be compared
  public static void spare(Path written, Path read, String option) throws IOException {
    if (Files.exists(read) && Files.exists(written) && Files.isSameFile(read, written)) {
      throw new IllegalArgumentException(
          "%s is an input (%s); the results would overwrite it.".formatted(written, option));
    }
  }

  /// A temporary folder of this process, removed on close.
  private record Half(Path place, FileChannel lock) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      try (lock) {
        delete(place);
      }
    }
  }

  /// Creates and locks a temporary folder.
  ///
  /// Another process that cleans up may remove the folder before it is locked; then another is
  /// created.
  private static Half made(Path folder) throws IOException {
    while (true) {
      Path half = Files.createTempDirectory(folder, OURS);
      FileChannel lock;
      try {
        lock =
            FileChannel.open(
                half.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      } catch (NoSuchFileException _) {
        continue;
      }
      if (isOurs(lock) && Files.exists(half.resolve(LOCK))) {
        return new Half(half, lock);
      }
      lock.close();
    }
  }

  /// True if the lock was obtained, or the file system has no locks.
  ///
  /// Without locks the folder of a killed process remains.
  private static boolean isOurs(FileChannel lock) {
    try {
      return lock.tryLock() != null;
    } catch (IOException _) {
      return true;
    }
  }

  /// Removes the temporary folders of killed processes.
  private static void clear(Path folder) {
    try (DirectoryStream<Path> halves = Files.newDirectoryStream(folder, HALF + "*")) {
      for (Path half : halves) {
        String name = half.getFileName().toString();
        if (HALVES.matcher(name).matches() && !name.startsWith(OURS)) {
          deleteIfLeft(half);
        }
      }
    } catch (IOException | DirectoryIteratorException | UncheckedIOException _) {
      // another process removes it, or this one lacks the permission
    }
  }

  private static void deleteIfLeft(Path half) throws IOException {
    try (FileChannel lock = FileChannel.open(half.resolve(LOCK), StandardOpenOption.WRITE)) {
      if (lock.tryLock() != null) {
        delete(half);
      }
    } catch (OverlappingFileLockException _) {
      // held within this process
    } catch (NoSuchFileException _) {
      Files.deleteIfExists(half); // killed before its lock file existed or after its removal
    }
  }

  private static void delete(Path half) throws IOException {
    Path lock = half.resolve(LOCK);
    List<Path> all;
    try (Stream<Path> found = Files.walk(half)) {
      all = found.filter(each -> !each.equals(half) && !each.equals(lock)).toList();
    }
    for (Path each : all.reversed()) { // children before their folder
      Files.deleteIfExists(each);
    }
    Files.deleteIfExists(lock);
    Files.deleteIfExists(half);
  }
}
