package dev.muster.core.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// The inputs of a fuzz target that every build tries: `src/test/resources/fuzz/<target>` of its
/// module.
///
/// They are valid files, from which `.ci/fuzz` begins, and inputs that once failed.
public final class FuzzSeeds {
  private static final int CUTS = 24;

  private FuzzSeeds() {}

  /// Gives each input to the target: as it is, cut off, and with one byte replaced.
  public static void tryAll(Class<?> target, Consumer<byte[]> decoder) throws IOException {
    for (Path file : files(target)) {
      byte[] input = Files.readAllBytes(file);
      decoder.accept(input);
      for (int cut = 0; cut < CUTS; cut++) {
        int at = (int) ((long) input.length * cut / CUTS);
        decoder.accept(Arrays.copyOf(input, at));
        byte[] other = input.clone();
        if (input.length > 0) {
          other[at] ^= (byte) (1 << cut % 8);
          decoder.accept(other);
        }
      }
    }
  }

  private static List<Path> files(Class<?> target) throws IOException {
    Path folder = Path.of("src/test/resources/fuzz", target.getSimpleName());
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}
