package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The programs that `deploy/control-plane/build.sh` builds when the cache has none.
enum GoBinary {
  /// All components, of the release that the tests are run against.
  CONTROL_PLANE("control-plane", "K8S_VERSION", "go.mod"),
  /// A kube-scheduler that still takes a Policy file.
  LEGACY_SCHEDULER("legacy-scheduler", "LEGACY_K8S_VERSION", "legacy-scheduler/go.mod");

  private final String program;
  private final String variable;
  private final String module;

  GoBinary(String program, String variable, String module) {
    this.program = program;
    this.variable = variable;
    this.module = module;
  }

  /// The folder of the Go sources, whether the working directory is the module or the whole
  /// project.
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

  /// The Kubernetes release that is asked for, without the leading v: by an environment variable,
  /// else what go.mod names.
  String requestedVersion() {
    String asked = System.getenv(variable);
    if (asked != null && !asked.isBlank()) {
      return asked.startsWith("v") ? asked.substring(1) : asked;
    }
    try {
      return Files.readString(sources().resolve(module))
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

  /// Whether the release that is asked for is 1.`minor` or newer.
  boolean isFrom(int minor) {
    return Integer.parseInt(requestedVersion().split("\\.", -1)[1]) >= minor;
  }

  /// Builds if need be (minutes) and returns the executable.
  Path ready(Path logs) throws IOException, InterruptedException {
    return GoBuild.run(sources().resolve("build.sh"), program, logs);
  }
}
