package dev.muster.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ServeCommandTest {
  private static final String POLICY =
      "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\nmode: ";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private Path configuration(String fields) throws IOException {
    return file(
        "muster.yaml", "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\n" + fields);
  }

  private Path naming(Path policy) throws IOException {
    return configuration("preemption: {policy: \"%s\"}\n".formatted(policy));
  }

  private int check(Object... args) {
    String[] all = new String[args.length + 1];
    all[0] = "--check";
    for (int i = 0; i < args.length; i++) {
      all[i + 1] = args[i].toString();
    }
    return new CommandLine(new ServeCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }

  @Test
  void webhook_is_described_in_words() {
    assertThat(ServeCommand.webhook(OptionalInt.of(8443))).isEqualTo("webhook port 8443");
    assertThat(ServeCommand.webhook(OptionalInt.empty()))
        .isEqualTo("no webhook (server.tls is not configured)");
  }

  @Test
  void check_names_the_files_it_read() throws IOException {
    Path config = configuration("");
    assertThat(check("-c", config)).isZero();
    assertThat(out.toString().lines())
        .satisfiesExactly(
            first -> assertThat(first).matches(config + " is valid: revision [0-9a-f]{12}\\."),
            second ->
                assertThat(second)
                    .isEqualTo("No preemption policy configured; preemption is off."));
  }

  @Test
  void check_without_a_file_says_so() {
    assertThat(check()).isZero();
    assertThat(out.toString()).startsWith("No configuration file given");
  }

  @Test
  void check_includes_the_policy() throws IOException {
    Path policy = file("policy.yaml", POLICY + "Shadow\n");
    assertThat(check("-c", naming(policy))).isZero();
    assertThat(out.toString().lines().toList())
        .last()
        .asString()
        .matches("The preemption policy %s is valid: revision [0-9a-f]{12}\\.".formatted(policy));
  }

  @Test
  void invalid_policy_fails_the_check() throws IOException {
    Path policy = file("policy.yaml", POLICY + "enforce\n");
    assertThat(check("-c", naming(policy))).isEqualTo(2);
    assertThat(err.toString()).startsWith(policy + ":3:7: mode: \"enforce\" is not known.");
  }

  @Test
  void policy_path_that_exists_only_in_the_cluster_is_no_mistake() throws IOException {
    Path policy = folder.resolve("elsewhere");
    assertThat(check("-c", naming(policy))).isZero();
    assertThat(out.toString())
        .contains("The preemption policy %s was not checked: no such file here.".formatted(policy));
  }

  @Test
  void invalid_configuration_fails_the_check() throws IOException {
    Path config = configuration("sever: {}\n");
    assertThat(check("-c", config)).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).startsWith(config + ":3:1: sever");
  }
}
