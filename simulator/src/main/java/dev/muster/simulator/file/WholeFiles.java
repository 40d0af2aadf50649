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
import java.util.stream.Stream;

/// Writes files that belong together: all of them, or none.
///
/// They are written to a folder of their own beside their place, and moved there when all are
/// whole. That folder is locked as long as its process lives; one whose process was killed is
/// removed by the next that writes to the same place. The lock is the first that is made in it and
/// the last that is removed: a folder without one is empty, and only an empty one is removed then.
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
    try (Half half = made(folder)) {
      writeAndMove(half.place(), folder, names, place -> told(writing, place, folder));
    }
  }

  /// Writes, and names what cannot be written: of an open file the system says only what is wrong.
  private static void told(Writing writing, Path place, Path named) throws IOException {
    try {
      writing.into(place);
    } catch (UncheckedIOException failed) { // of those who write tables
      throw named(Objects.requireNonNull(failed.getCause()), place, named);
    } catch (IOException failed) {
      throw named(failed, place, named);
    }
  }

  /// What is of another class says already what it is about, and is left as it is; unless that is a
  /// file of which only its later name means something to the user.
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
        Files.deleteIfExists(folder.resolve(name)); // killed from here on, none, but no mixture
      }
    }
    for (String name : names) {
      if (Files.exists(half.resolve(name))) {
        Files.move(half.resolve(name), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  /// The same with one file, in a folder that is there. What is no file, such as `/dev/stdout`, is
  /// written to as it stands.
  ///
  /// @param writing is told where to write it
  /// @throws IOException if it cannot be written; then the one that was there still is
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

  /// Sees to it that what is written does not take the place of what is read.
  ///
  /// @param option that names the file that is read
  /// @throws IllegalArgumentException if the two are one file
  /// @throws IOException if that cannot be told
  public static void spare(Path written, Path read, String option) throws IOException {
    if (Files.exists(read) && Files.exists(written) && Files.isSameFile(read, written)) {
      throw new IllegalArgumentException(
          "%s is an input (%s); the results would overwrite it.".formatted(written, option));
    }
  }

  /// A folder of this process, until it is closed.
  private record Half(Path place, FileChannel lock) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      try (lock) {
        delete(place);
      }
    }
  }

  /// One that is made while another process looks for what was left may be gone before it is
  /// locked; then another is made.
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

  /// Also where the file system has no locks: then what is left of a killed process stays.
  private static boolean isOurs(FileChannel lock) {
    try {
      return lock.tryLock() != null;
    } catch (IOException _) {
      return true;
    }
  }

  /// Removes what processes left that were killed.
  private static void clear(Path folder) {
    try (DirectoryStream<Path> halves = Files.newDirectoryStream(folder, HALF + "*")) {
      for (Path half : halves) {
        if (!half.getFileName().toString().startsWith(OURS)) {
          deleteIfLeft(half);
        }
      }
    } catch (IOException | DirectoryIteratorException | UncheckedIOException _) {
      // somebody else removes it, too, or it is not ours to remove
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
      Files.deleteIfExists(half); // its process was killed before the first or after the last
    }
  }

  private static void delete(Path half) throws IOException {
    Path lock = half.resolve(LOCK);
    List<Path> all;
    try (Stream<Path> found = Files.walk(half)) {
      all = found.filter(each -> !each.equals(half) && !each.equals(lock)).toList();
    }
    for (Path each : all.reversed()) { // what is in a folder before the folder
      Files.deleteIfExists(each);
    }
    Files.deleteIfExists(lock);
    Files.deleteIfExists(half);
  }
}
