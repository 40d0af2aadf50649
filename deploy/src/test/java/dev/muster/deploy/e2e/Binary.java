package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The control-plane binary: built by {@code deploy/control-plane/build.sh} when the cache has none.
 */
final class Binary {
  private static final long BUILD_MINUTES = 30;

  private Binary() {}

  /**
   * The folder of the Go sources, whether the working directory is the module or the whole project.
   */
  static Path sources() {
    for (String candidate : new String[] {"control-plane", "deploy/control-plane"}) {
      Path folder = Path.of(candidate).toAbsolutePath();
      if (Files.isExecutable(folder.resolve("build.sh"))) {
        return folder;
      }
    }
    throw new IllegalStateException(
        "No control-plane/build.sh below "
            + Path.of("").toAbsolutePath()
            + ". Maybe run the test from the module deploy?");
  }

  /**
   * The Kubernetes release that is asked for, without the leading v: K8S_VERSION, else what go.mod
   * names.
   */
  static String requestedVersion() {
    String asked = System.getenv("K8S_VERSION");
    if (asked != null && !asked.isBlank()) {
      return asked.startsWith("v") ? asked.substring(1) : asked;
    }
    try {
      return Files.readString(sources().resolve("go.mod"))
          .lines()
          .map(String::strip)
          .filter(line -> line.contains("k8s.io/kubernetes v"))
          .map(line -> line.substring(line.lastIndexOf(" v") + 2))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Builds if need be (minutes) and returns the executable. */
  static Path ready(Path logs) throws IOException, InterruptedException {
    Path log = logs.resolve("build.log");
    Path answer = logs.resolve("build.out");
    Process build =
        new ProcessBuilder(sources().resolve("build.sh").toString())
            .redirectError(log.toFile())
            .redirectOutput(answer.toFile())
            .start();
    if (!build.waitFor(BUILD_MINUTES, TimeUnit.MINUTES) || build.exitValue() != 0) {
      build.destroyForcibly();
      throw new IllegalStateException(
          "The control plane was not built; " + log + " says:\n" + Files.readString(log));
    }
    return Path.of(Files.readString(answer).strip());
  }
}
