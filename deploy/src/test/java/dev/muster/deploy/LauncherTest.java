package dev.muster.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the launcher of an installed Muster calls the JVM; here that one says how it was called. */
class LauncherTest {
  private static final String OF_A_RUN = "simulate-run.options";
  private static final String G1 = "-XX:+UseG1GC";

  @TempDir Path machine;
  private Path installed;

  @BeforeEach
  void install() throws IOException {
    installed = Files.createDirectories(machine.resolve("opt/muster"));
    Path lib = Files.createDirectory(installed.resolve("lib"));
    Path project = Shipped.folder().resolveSibling("");
    Files.copy(project.resolve("muster"), installed.resolve("muster"));
    Files.copy(project.resolve(".mvn/find-jdk.sh"), lib.resolve("find-jdk.sh"));
    Path jdk = Files.createDirectories(machine.resolve("jdk"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    Path java = Files.createDirectory(jdk.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void oneSimulationHasOptionsOfItsOwn() throws Exception {
    assertThat(called(Map.of(), "simulate", "run"))
        .containsSubsequence(settings("java.options"), settings(OF_A_RUN))
        .doesNotContain(G1);
  }

  @Test
  void allElseHasTheUsualCollector() throws Exception {
    assertThat(called(Map.of(), "simulate", "sweep"))
        .contains(G1)
        .doesNotContain(settings(OF_A_RUN));
  }

  @Test
  void whoChoosesACollectorGetsIt() throws Exception {
    String chosen = "-XX:+UseParallelGC";

    assertThat(called(Map.of("MUSTER_JAVA_OPTS", chosen), "simulate", "run"))
        .contains(chosen)
        .doesNotContain(G1, settings(OF_A_RUN));
  }

  @Test
  void whatTheUserAddsComesLastAndWins() throws Exception {
    assertThat(called(Map.of("MUSTER_JAVA_OPTS", "-Xmx2g -Xms1g"), "simulate", "run"))
        .containsSubsequence(settings(OF_A_RUN), "-Xmx2g", "-Xms1g", "-cp");
  }

  @Test
  void simulationsHaveACacheOfTheirOwn() throws Exception {
    Files.createFile(installed.resolve("muster.aot"));
    Path cache = Files.createFile(installed.resolve("simulate.aot"));

    assertThat(called(Map.of(), "simulate", "plan")).contains("-XX:AOTCache=" + cache);
  }

  @Test
  void withoutACacheItStartsAllTheSame() throws Exception {
    assertThat(called(Map.of(), "serve"))
        .endsWith("dev.muster.deploy.Muster", "serve")
        .noneMatch(option -> option.startsWith("-XX:AOTCache"));
  }

  private String settings(String file) {
    return "@" + installed.resolve("lib").resolve(file);
  }

  private List<String> called(Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    var launcher = new ProcessBuilder("sh", installed.resolve("muster").toString());
    launcher.command().addAll(List.of(command));
    launcher.environment().remove("MUSTER_JAVA_OPTS");
    launcher.environment().put("JAVA_HOME", machine.resolve("jdk").toString());
    launcher.environment().putAll(environment);
    Process process = launcher.redirectErrorStream(true).start();
    List<String> lines = process.inputReader(UTF_8).lines().toList();
    assertThat(process.waitFor()).as(lines::toString).isZero();
    return lines;
  }
}
