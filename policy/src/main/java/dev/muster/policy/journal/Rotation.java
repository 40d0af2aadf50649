package dev.muster.policy.journal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.IntStream;

/// Files that are written one after the other: `FILE` is written now, `FILE.1` was before, `FILE.2`
/// before that. Where the file is a link it stays one: the file behind it is put aside, in its own
/// folder.
///
/// @param file the one that is written, no link to a file
/// @param kept so many older ones are kept, at least 1
public record Rotation(Path file, int kept) {

  private static final int MOST_LINKS = 40; // as in Linux

  public Rotation {
    file = followed(file);
  }

  /// The file that links lead to, which may not be there yet; pipes and devices stay as named.
  public static Path followed(Path named) {
    Path at = named;
    try {
      for (int links = 0;
          Files.isSymbolicLink(at) && !isSpecial(at) && links < MOST_LINKS;
          links++) {
        at = at.resolveSibling(Files.readSymbolicLink(at));
      }
      return at;
    } catch (IOException _) { // who opens it is told what is wrong
      return named;
    }
  }

  private static boolean isSpecial(Path file) {
    return Files.exists(file) && !Files.isRegularFile(file);
  }

  /// Whether the other file has a name that turning this one makes: it would be lost.
  public static boolean maySpoil(Path file, Path other) {
    String name = file.toString();
    String others = other.toString();
    return others.startsWith(name)
        && others.substring(name.length()).matches("\\.(new|[1-9][0-9]*)");
  }

  /// All that are there, oldest first.
  public List<Path> all() {
    return IntStream.rangeClosed(0, kept)
        .mapToObj(back -> aged(kept - back))
        .filter(Files::exists)
        .toList();
  }

  /// Whether there is a file to be put aside. Pipes and devices are written for ever.
  public boolean isPossible() {
    return Files.isRegularFile(file);
  }

  /// Puts the file aside, drops the oldest if there are too many, and opens an empty one.
  ///
  /// @throws IOException if that cannot be; then nothing is lost, and whoever has the old one open
  ///     may go on to write it
  public OutputStream turn() throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    OutputStream out = Sole.append(next, left -> left.truncate(0)); // by a killed process
    try {
      shift();
      Files.move(next, file);
      return out;
    } catch (IOException failed) {
      out.close();
      Files.deleteIfExists(next);
      throw failed;
    }
  }

  /// Up to the first name that is free only: a shift that failed half-way is not done twice.
  private void shift() throws IOException {
    int free = 0;
    while (free < kept && Files.exists(aged(free))) {
      free++;
    }
    for (int age = free; age > 0; age--) {
      Files.move(aged(age - 1), aged(age), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private Path aged(int age) {
    return age == 0 ? file : file.resolveSibling(file.getFileName() + "." + age);
  }
}
