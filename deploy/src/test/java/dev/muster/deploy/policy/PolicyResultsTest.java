package dev.muster.deploy.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import picocli.CommandLine;

/// `muster policy` writes results for people and for programs, with warnings that have a place.
class PolicyResultsTest {
  private static final String HEADER = "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\n";

  @TempDir private Path folder = Path.of("");

  private record Outcome(String out, String err) {}

  private static Outcome run(Object... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        PolicyCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] words = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      words[i] = args[i].toString();
    }
    command.execute(words);
    return new Outcome(out.toString(), err.toString());
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void test_names_rules_that_decide_in_no_test() throws IOException {
    Path policy =
        file(
            "policy.yaml",
            HEADER
                + """
                rules: [{name: small, to: {gpus: {max: 8}}, action: Allow}, {name: rest, action: Deny}]
                tests: [{name: a, given: {preemptor: {priority: 1}, victim: {}}, expect: {action: Allow}}]
                """);

    assertThat(run("test", policy).out().lines())
        .containsExactly("1 of 1 test passed.", policy + ": decided in no test: rest.");
  }

  @Test
  void results_as_json_have_a_version_and_each_test() throws IOException {
    Path policy =
        file(
            "policy.yaml",
            HEADER
                + """
                rules: [{name: all, action: Allow}]
                tests: [{name: a, given: {preemptor: {}, victim: {}}, expect: {action: Allow}}]
                """);

    JsonNode report = new ObjectMapper().readTree(run("test", "-o", "json", policy).out());

    assertThat(report.path("version").intValue()).isEqualTo(1);
    JsonNode test = report.at("/policies/0/tests/0");
    assertThat(test.path("passed").booleanValue()).isFalse();
    assertThat(test.path("rule").asText()).isEqualTo("all");
    assertThat(test.at("/disagreements/0").asText())
        .startsWith("expected Allow, but priority-floor spares it");
  }

  @Test
  void results_as_junit_have_a_failure_and_an_error() throws Exception {
    Path policy =
        file(
            "a.yaml",
            HEADER
                + """
                rules: [{name: all, action: Allow}]
                tests: [{name: "<b>\\u0001", given: {preemptor: {}, victim: {}}, expect: {action: Allow}}]
                """);
    Path wrong = file("b.yaml", HEADER + "mode: On\n");

    String xml = run("test", "-o", "junit", policy, wrong).out();

    Document report =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(xml)));
    assertThat(report.getElementsByTagName("failure").getLength()).isEqualTo(1);
    assertThat(report.getElementsByTagName("error").getLength()).isEqualTo(1);
  }

  @Test
  void warning_names_file_line_and_column() throws IOException {
    Path policy =
        file(
            "policy.yaml",
            HEADER
                + """
                rules: [{name: a, when: "victim.labels.team == 'x'", action: Allow}]
                tests: [{name: a, given: {preemptor: {}, victim: {}}, expect: {action: Deny}}]
                """);

    assertThat(run("test", policy).err())
        .startsWith(
            "Warning: " + policy + ":3:25: rules[0].when: had no value for a pair of gangs");
  }

  @Test
  void problem_of_the_configuration_is_told_once() throws IOException {
    Path policy = file("policy.yaml", HEADER + "rules: [{name: a, action: Allow}]\n");
    Path configuration =
        file(
            "muster.yaml",
            "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\nqueus: []\n");

    Outcome outcome = run("test", "-o", "json", "--config", configuration, policy);

    assertThat(outcome.err()).containsOnlyOnce("muster.yaml:3:1");
    assertThat(new ObjectMapper().readTree(outcome.out()).path("problems")).hasSize(1);
  }

  @Test
  void queue_that_the_configuration_lacks_is_warned_of() throws IOException {
    Path policy =
        file("policy.yaml", HEADER + "rules: [{name: a, to: {queues: [bacth]}, action: Allow}]\n");
    Path configuration =
        file(
            "muster.yaml",
            "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\nqueues: [{name: batch}]\n");

    assertThat(run("validate", "--config", configuration, policy).err())
        .contains(":3:33: rules[0].to.queues[0]: \"bacth\" is not a queue of the configuration.");
  }

  @Test
  void dash_is_the_standard_input() {
    InputStream before = System.in;
    System.setIn(
        new ByteArrayInputStream((HEADER + "mode: On\n").getBytes(StandardCharsets.UTF_8)));
    try {
      assertThat(run("validate", "-").err()).startsWith("standard input:3:7: mode:");
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void explain_names_what_did_not_match() throws IOException {
    Path policy =
        file("policy.yaml", HEADER + "rules: [{name: a, to: {queues: [nlp]}, action: Allow}]\n");
    Path gangs =
        file(
            "gangs.yaml",
            """
            apiVersion: policy.muster.dev/v1
            kind: PreemptionSubjects
            now: 2026-11-02T12:00:00Z
            waiting: [{name: a/new, priority: 5}]
            running: [{name: batch/old}]
            """);

    assertThat(run("explain", policy, "--subjects", gangs, "--preemptor", "a/new").out())
        .contains("rule a: does not match (to.queues: batch is not one of nlp)");
  }
}
