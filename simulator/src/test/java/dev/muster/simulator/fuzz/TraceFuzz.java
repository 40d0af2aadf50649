package dev.muster.simulator.fuzz;

import dev.muster.simulator.file.MalformedFile;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceOptions;
import dev.muster.simulator.trace.format.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Fuzz target: traces of all formats, recognised by their content. Every trace is read, or
/// malformed.
public final class TraceFuzz {
  private static final Path FILE =
      Path.of(
          System.getProperty("java.io.tmpdir"), "fuzzed-trace-" + ProcessHandle.current().pid());

  private TraceFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Files.write(FILE, input);
    FILE.toFile().deleteOnExit();
    try (Trace trace = TraceFiles.open(FILE, TraceOptions.DEFAULT)) {
      while (trace.hasNext()) {
        var _ = trace.next();
      }
    } catch (MalformedFile _) {
      // what it is for
    }
  }
}
