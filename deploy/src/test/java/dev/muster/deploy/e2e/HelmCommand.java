package dev.muster.deploy.e2e;

import dev.muster.deploy.ShippedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The real helm, which `deploy/control-plane/tools/build.sh` builds when the cache has none.
///
/// @param binary the program
/// @param kubeconfig of the cluster that it works on
/// @param folder where it keeps its own files, and the output of each call
record HelmCommand(Path binary, Path kubeconfig, Path folder) {
  static final String CHART = ShippedFiles.folder().resolve("chart").toString();

  /// The value that an admin must set: the range that the shipped NetworkPolicy names.
  static final String CONTROL_PLANE = "networkPolicy.controlPlane={192.0.2.0/24}";

  private static final long RUN_MINUTES = 2;

  /// What a call printed, and whether it succeeded.
  record Answer(int status, String output) {}

  /// Builds helm if need be, and prepares it for one cluster.
  static HelmCommand ready(Path kubeconfig, Path folder) {
    return ready("helm", kubeconfig, folder);
  }

  /// Does the same for `helm` or `helm3`.
  static HelmCommand ready(String tool, Path kubeconfig, Path folder) {
    return new HelmCommand(GoBuild.tool(tool, folder), kubeconfig, folder);
  }

  /// Returns the arguments that set these values, each `path=value`.
  static List<String> set(String... values) {
    var arguments = new ArrayList<String>();
    List.of(values)
        .forEach(value -> arguments.addAll(value.isEmpty() ? List.of() : List.of("--set", value)));
    return arguments;
  }

  /// Runs helm, which must succeed, and returns what it printed.
  String run(List<String> arguments) {
    Answer answer = attempt(arguments);
    if (answer.status() != 0) {
      throw new IllegalStateException("helm " + arguments + " says:\n" + answer.output());
    }
    return answer.output();
  }

  /// Runs helm. Its log of warnings is kept apart from what it prints, except after a failure.
  Answer attempt(List<String> arguments) {
    Path out = folder.resolve("helm.out");
    Path log = folder.resolve("helm.log");
    var command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(arguments);
    var builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(log.toFile());
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    for (String home : List.of("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")) {
      builder.environment().put(home, folder.resolve("helm").toString());
    }
    int status = end(builder, RUN_MINUTES);
    return new Answer(status, status == 0 ? text(out) : text(out) + text(log));
  }

  private static int end(ProcessBuilder builder, long minutes) {
    try {
      Process process = builder.start();
      if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        return -1;
      }
      return process.exitValue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while helm ran", e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
