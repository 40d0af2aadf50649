package dev.muster.simulator.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The inputs from which fuzzing begins, and those that once failed, are read or malformed.
class FileDecodersTest {
  private static List<Path> inputs(Class<?> target) throws IOException {
    try (Stream<Path> files =
        Files.list(Path.of("src/test/resources/fuzz", target.getSimpleName()))) {
      return files.sorted().toList();
    }
  }

  @Test
  void traces_raise_no_other_errors() throws IOException {
    assertThat(inputs(TraceFuzz.class)).isNotEmpty();
    for (Path file : inputs(TraceFuzz.class)) {
      TraceFuzz.fuzzerTestOneInput(Files.readAllBytes(file));
    }
  }

  @Test
  void fleets_raise_no_other_errors() throws IOException {
    assertThat(inputs(FleetFuzz.class)).isNotEmpty();
    for (Path file : inputs(FleetFuzz.class)) {
      FleetFuzz.fuzzerTestOneInput(Files.readAllBytes(file));
    }
  }
}
