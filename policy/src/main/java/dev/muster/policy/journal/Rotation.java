package dev.muster.policy.journal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Files that are written one after the other: {@code FILE} is written now, {@code FILE.1} was
 * before, {@code FILE.2} before that.
 *
 * @param file the one that is written
 * @param kept so many older ones are kept, at least 1
 */
public record Rotation(Path file, int kept) {

  /** All that are there, oldest first. */
  public List<Path> all() {
    return IntStream.rangeClosed(0, kept)
        .mapToObj(back -> aged(kept - back))
        .filter(Files::exists)
        .toList();
  }

  /** Whether there is a file to be put aside. Pipes, devices and links are written for ever. */
  public boolean isPossible() {
    return Files.isRegularFile(file);
  }

  /**
   * Puts the file aside, drops the oldest if there are too many, and opens an empty one.
   *
   * @throws IOException if that cannot be; then nothing is lost, and whoever has the old one open
   *     may go on to write it
   */
  public OutputStream turn() throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    OutputStream out = Files.newOutputStream(next);
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

  /** Up to the first name that is free only: a shift that failed half-way is not done twice. */
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
