package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// A script that builds a Go program if the cache has none, and prints where it is.
final class GoBuild {
  private static final long MINUTES = 30;

  private GoBuild() {}

  /// Runs the script (minutes if it builds) and returns the path that it prints.
  static Path run(Path script, String program, Path logs) throws IOException, InterruptedException {
    Path log = logs.resolve(program + "-build.log");
    Path answer = logs.resolve(program + "-build.out");
    Process build =
        new ProcessBuilder(script.toString(), program)
            .redirectError(log.toFile())
            .redirectOutput(answer.toFile())
            .start();
    if (!build.waitFor(MINUTES, TimeUnit.MINUTES) || build.exitValue() != 0) {
      build.destroyForcibly();
      throw new IllegalStateException(
          program + " was not built; " + log + " says:\n" + Files.readString(log));
    }
    return Path.of(Files.readString(answer).strip());
  }

  /// Builds a tool of `deploy/control-plane/tools` if need be, and returns it.
  static Path tool(String name, Path logs) {
    try {
      return run(GoBinary.sources().resolve("tools/build.sh"), name, logs);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while " + name + " was built", e);
    }
  }
}
