package dev.muster.deploy.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.deploy.ShippedFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The worked example of a policy in Java is built and loaded as an admin would do it.
class PolicyPluginTest {
  private static final Path EXAMPLE = ShippedFiles.folder().resolve("examples/policy-plugin");

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void build() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Path classes = Files.createDirectory(folder.resolve("classes"));
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Stream<Path> sources = Files.walk(EXAMPLE.resolve("src/main/java"))) {
      List<Path> java = sources.filter(file -> file.toString().endsWith(".java")).toList();
      List<String> options =
          List.of(
              "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none");
      var messages = new StringWriter();
      boolean compiled =
          compiler
              .getTask(
                  messages, files, null, options, null, files.getJavaFileObjectsFromPaths(java))
              .call();
      assertThat(compiled).as(messages.toString()).isTrue();
    }
    jar(List.of(classes, EXAMPLE.resolve("src/main/resources")));
  }

  private void jar(List<Path> roots) throws IOException {
    try (JarOutputStream jar =
        new JarOutputStream(Files.newOutputStream(folder.resolve("deadlines.jar")))) {
      for (Path root : roots) {
        try (Stream<Path> found = Files.walk(root)) {
          for (Path file : found.filter(Files::isRegularFile).sorted().toList()) {
            jar.putNextEntry(new JarEntry(root.relativize(file).toString().replace('\\', '/')));
            jar.write(Files.readAllBytes(file));
          }
        }
      }
    }
  }

  private record Outcome(int code, String out, String err) {}

  private static Outcome run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        PolicyCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return new Outcome(command.execute(args), out.toString(), err.toString());
  }

  @Test
  void tests_of_the_plugin_pass() {
    Outcome outcome =
        run("test", "--plugins", folder.toString(), EXAMPLE.resolve("policy.yaml").toString());

    assertThat(outcome.out()).isEqualToIgnoringNewLines("3 of 3 tests passed.");
    assertThat(outcome.err()).contains("deadlines").contains("Text 'tomorrow' could not be parsed");
    assertThat(outcome.code()).isZero();
  }

  @Test
  void plugin_refuses_unknown_parameters() throws IOException {
    String text = Files.readString(EXAMPLE.resolve("policy.yaml"));
    Path wrong = folder.resolve("wrong.yaml");
    Files.writeString(wrong, text.replace("margin: 3d", "margn: 3d"));

    Outcome outcome = run("validate", "--plugins", folder.toString(), wrong.toString());

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err())
        .contains(
            "plugin.parameters: \"margn\" is not a parameter of deadlines. Did you mean margin?");
  }

  @Test
  void policy_file_is_invalid_without_the_jar() {
    Outcome outcome = run("validate", EXAMPLE.resolve("policy.yaml").toString());

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("\"deadlines\" is not an installed plug-in.");
  }
}
