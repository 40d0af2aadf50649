package dev.muster.policy.journal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.IntStream;

/// A sequence of files written one after the other: `FILE` is current, `FILE.1` is the one before.
///
/// `FILE.2` is older than `FILE.1`, and so on. If the file is a symbolic link it stays one: its
/// target is rotated, in its own folder.
///
/// Files of these names with other content are never renamed, replaced or truncated.
///
/// @param file the file that is written; links are resolved
/// @param kept number of older files kept, at least 1
/// @param beginnings how each of the files begins
public record FileRotation(Path file, int kept, List<String> beginnings) {

  private static final int MOST_LINKS = 40; // the limit of Linux

  public FileRotation {
    file = followed(file);
    beginnings = List.copyOf(beginnings);
  }

  /// Returns the target of symbolic links, which may not exist yet; pipes and devices stay as
  /// named.
  public static Path followed(Path named) {
    Path at = named;
    try {
      for (int links = 0;
          Files.isSymbolicLink(at) && !isSpecial(at) && links < MOST_LINKS;
          links++) {
        at = at.resolveSibling(Files.readSymbolicLink(at));
      }
      return at;
    } catch (IOException _) { // reported when the file is opened
      return named;
    }
  }

  private static boolean isSpecial(Path file) {
    return Files.exists(file) && !Files.isRegularFile(file);
  }

  /// True if rotation of `file` could overwrite `other`, because it uses this name.
  public static boolean maySpoil(Path file, Path other) {
    String name = file.toString();
    String others = other.toString();
    return others.startsWith(name)
        && others.substring(name.length()).matches("\\.(new|[1-9][0-9]*)");
  }

  /// Returns all existing files, oldest first.
  public List<Path> all() {
    return IntStream.rangeClosed(0, kept)
        .mapToObj(back -> aged(kept - back))
        .filter(Files::exists)
        .toList();
  }

  /// True if the file exists and can be rotated. Pipes and devices are never rotated.
  public boolean isPossible() {
    return Files.isRegularFile(file);
  }

  /// Rotates the file, drops the oldest if there are too many, and opens an empty one.
  ///
  /// @throws IOException if this fails, or a file has other content; then nothing is lost, and the
  ///   open old file may still be written
  public OutputStream rotate() throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    // A killed process leaves it empty: nothing is written before it has its final name.
    refuse(next, !isFile(next) || Files.size(next) > 0);
    List<Path> shifted = shifted();
    for (Path each : shifted) {
      refuse(each, !isFile(each) || LineFile.holdsOther(each, beginnings));
    }
    OutputStream out = SingleWriterLock.append(next, _ -> {});
    try {
      shift(shifted.size());
      Files.move(next, file);
      return out;
    } catch (IOException failed) {
      out.close();
      Files.deleteIfExists(next);
      throw failed;
    }
  }

  private static boolean isFile(Path path) {
    return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static void refuse(Path path, boolean other) throws IOException {
    if (other && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileSystemException(
          path.toString(), null, "it exists, and this Muster did not write it. Move it");
    }
  }

  /// Returns the older files up to the first free name. Only they are renamed, so a failed shift is
  /// not repeated.
  private List<Path> shifted() {
    return IntStream.rangeClosed(1, kept)
        .mapToObj(this::aged)
        .takeWhile(aged -> Files.exists(aged, LinkOption.NOFOLLOW_LINKS))
        .toList();
  }

  private void shift(int older) throws IOException {
    for (int age = Math.min(older + 1, kept); age > 0; age--) {
      Files.move(aged(age - 1), aged(age), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private Path aged(int age) {
    return age == 0 ? file : file.resolveSibling(file.getFileName() + "." + age);
  }
}
