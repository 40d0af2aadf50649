package dev.muster.simulator.fuzz;

import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.fleet.Fleets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Fuzz target: files of fleets, as tables, lines or YAML. Every fleet is read, or malformed.
public final class FleetFuzz {
  private static final Path FILE =
      Path.of(
          System.getProperty("java.io.tmpdir"), "fuzzed-fleet-" + ProcessHandle.current().pid());

  private FleetFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Files.write(FILE, input);
    FILE.toFile().deleteOnExit();
    try {
      var _ = Fleets.of(FILE.toString());
    } catch (MalformedFile | IllegalArgumentException _) {
      // what they are for
    }
  }
}
