package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Measures `/filter` calls while 50 users look at a cluster of 5,000 nodes and 10,000 gangs.
///
/// One server answers all laps. The laps alternate: nobody looks, then 50 screens in browsers, then
/// 50 times `muster top`, then 50 times a list with `-w`. Meanwhile the engine takes a step for a
/// new event 15 times a second, so each answer is soon out of date.
///
/// The calls name all nodes, and come at a fixed rate. A call counts from the moment at which it is
/// due, so a call that waits for a slow one counts as slow too. The server runs with the options of
/// a shipped server, in a heap of the size that the shipped limit of memory gives.
///
/// ```
/// ./mvnw -pl extender-server -am verify -Dtest=OpenScreensBench -Dsurefire.failIfNoSpecifiedTests=false
/// ```
///
/// It runs for about ten minutes. `-Dbench.scale=0.1` looks quickly at a smaller cluster, and
/// `-Dbench.laps=3`, `-Dbench.seconds=10` and `-Dbench.users=20` change what they say.
/// `-Dbench.only=BROWSER` measures those users only. Not part of the build: its name is no test's
/// name.
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class OpenScreensBench {
  private static final String OPTIONS = "@../deploy/src/main/dist/lib/";

  /// Runs the bench as the shipped server is run.
  @Test
  void run() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(OPTIONS + "java.options");
    command.add(OPTIONS + "serve.options");
    command.add("-Xmx1400m"); // 70 % of 2 GiB
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith("bench."))
        .forEach(name -> command.add("-D%s=%s".formatted(name, System.getProperty(name))));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), OpenScreensLaps.class.getName()));
    Process laps = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader lines = laps.inputReader()) {
      lines.lines().forEach(System.out::println); // the test's own output has another format
    }
    assertThat(laps.waitFor()).isZero();
  }
}
