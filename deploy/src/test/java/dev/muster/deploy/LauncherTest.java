package dev.muster.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The launcher of an installed Muster passes JVM options and arguments on. The JVM is a script
/// that prints its arguments.
class LauncherTest {
  @TempDir Path machine;
  private Path installed;
  private Path java;

  @BeforeEach
  void install() throws IOException {
    installed = Files.createDirectories(machine.resolve("opt/muster"));
    Path lib = Files.createDirectory(installed.resolve("lib"));
    Path project = ShippedFiles.folder().resolveSibling("");
    Files.copy(project.resolve("muster"), installed.resolve("muster"));
    Files.copy(project.resolve(".mvn/find-jdk.sh"), lib.resolve("find-jdk.sh"));
    Path jdk = Files.createDirectories(machine.resolve("jdk"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    java = Files.createDirectory(jdk.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "serve --config muster.yaml, serve",
    "simulate run --trace jobs.csv, simulate-run",
    "simulate sweep, simulate",
    "policy validate, short",
    "demo --once, short",
    "serve --help, short",
    "simulate run --help, short",
    "--version, short"
  })
  void each_kind_of_command_has_jvm_options(String command, String kind) throws Exception {
    assertThat(called(Map.of(), command.split(" ")))
        .filteredOn(argument -> argument.startsWith("@"))
        .containsExactly(options("java"), options(kind));
  }

  @Test
  void default_options_are_those_of_help() throws Exception {
    assertThat(called(Map.of())).containsSubsequence(options("java"), options("short"), "-jar");
  }

  @Test
  void chosen_collector_replaces_the_options_of_the_command() throws Exception {
    String chosen = "-XX:+UseParallelGC";

    assertThat(called(Map.of("MUSTER_JAVA_OPTS", chosen), "simulate", "run"))
        .contains(chosen)
        .doesNotContain(options("simulate-run"));
  }

  @Test
  void added_options_come_last_and_win() throws Exception {
    assertThat(called(Map.of("MUSTER_JAVA_OPTS", "-Xmx2g -Xms1g"), "simulate", "run"))
        .containsSubsequence(options("simulate-run"), "-Xmx2g", "-Xms1g", "-jar");
  }

  @Test
  void arguments_reach_the_program_unchanged() throws Exception {
    assertThat(called(Map.of(), "policy", "explain", "two words", "*"))
        .endsWith(
            "-jar",
            installed.resolve("lib/muster.jar").toString(),
            "policy",
            "explain",
            "two words",
            "*");
  }

  @ParameterizedTest
  @CsvSource({
    "C, C.UTF-8",
    "POSIX, C.UTF-8",
    "'', C.UTF-8",
    "de_DE.UTF-8, C.UTF-8",
    "de_DE.utf8, C.UTF-8",
    "de_DE.ISO-8859-1, de_DE.ISO-8859-1"
  })
  void names_of_files_are_utf_8_unless_the_locale_has_another_character_set(
      String set, String given) throws Exception {
    Files.writeString(java, "#!/bin/sh\necho \"$LC_ALL\"\n");

    assertThat(called(Map.of("LC_ALL", set, "LC_CTYPE", "", "LANG", ""))).containsExactly(given);
  }

  @ParameterizedTest
  @ValueSource(strings = {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"})
  void closed_standard_streams_are_open_for_java(String closed) throws Exception {
    Path seen = machine.resolve("seen");
    Files.writeString(
        java,
        "#!/bin/sh\ntrue 3<&0 && true 3>&1 && true 3>&2 && echo all > '%s'\n".formatted(seen));
    var caller = launcher(Map.of(), "--version");
    caller.command().addAll(0, List.of("sh", "-c", "exec \"$@\" " + closed, "sh"));

    assertThat(caller.start().waitFor()).isZero();
    assertThat(seen).hasContent("all");
  }

  @Test
  void images_have_the_locale_of_the_launcher() throws Exception {
    Files.writeString(java, "#!/bin/sh\necho \"LC_ALL=$LC_ALL\"\n");
    String locale = called(Map.of("LC_ALL", "", "LC_CTYPE", "", "LANG", "")).getFirst();

    assertThat(ShippedFiles.text("image/Dockerfile").split("\nRUN ", -1)[0])
        .contains("\nENV " + locale + "\n");
    assertThat(ShippedFiles.text("image/build.sh")).containsPattern("\"Env\":.*\"" + locale + "\"");
  }

  @Test
  void image_starts_java_as_the_launcher_does() throws Exception {
    List<String> launched =
        called(Map.of(), "serve", "--config", "/etc/muster/config/muster.yaml").stream()
            .map(argument -> argument.replace(installed.toString(), "/opt/muster"))
            .toList();
    String dockerfile = ShippedFiles.text("image/Dockerfile").replace("\\\n", "");

    assertThat(words(dockerfile, "ENTRYPOINT") + words(dockerfile, "CMD"))
        .isEqualTo("java " + String.join(" ", launched) + " ");
  }

  /// Returns the words of an instruction, without the options of the AOT cache, which the image has
  /// for itself.
  private static String words(String dockerfile, String instruction) {
    return dockerfile
        .lines()
        .filter(line -> line.startsWith(instruction + " "))
        .flatMap(line -> Pattern.compile("\"(.*?)\"").matcher(line).results())
        .map(word -> word.group(1))
        .filter(word -> !word.startsWith("-XX:AOTCache=") && !word.startsWith("-Xlog:"))
        .map(word -> word + " ")
        .collect(Collectors.joining());
  }

  private String options(String kind) {
    return "@" + installed.resolve("lib").resolve(kind + ".options");
  }

  private List<String> called(Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Process process = launcher(environment, command).redirectErrorStream(true).start();
    List<String> lines = process.inputReader(UTF_8).lines().toList();
    assertThat(process.waitFor()).as(lines::toString).isZero();
    return lines;
  }

  private ProcessBuilder launcher(Map<String, String> environment, String... command) {
    var launcher = new ProcessBuilder("sh", installed.resolve("muster").toString());
    launcher.command().addAll(List.of(command));
    launcher.environment().remove("MUSTER_JAVA_OPTS");
    launcher.environment().put("JAVA_HOME", machine.resolve("jdk").toString());
    launcher.environment().putAll(environment);
    return launcher;
  }
}
