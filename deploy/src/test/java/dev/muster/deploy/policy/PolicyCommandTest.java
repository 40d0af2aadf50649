package dev.muster.deploy.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.deploy.ShippedFiles;
import dev.muster.policy.preemption.FilePolicy;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `muster policy` answers as a shell sees it.
class PolicyCommandTest {
  private static final String HEADER = "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\n";

  @TempDir private Path folder = Path.of("");

  private record Outcome(int code, String out, String err) {}

  private static Outcome run(Object... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        PolicyCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] words = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      words[i] = args[i].toString();
    }
    return new Outcome(command.execute(words), out.toString(), err.toString());
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static Path shipped(String name) {
    return ShippedFiles.folder().resolve(name);
  }

  @Test
  void validate_names_the_revision() {
    Outcome outcome = run("validate", shipped("config/preemption-policy.yaml"));

    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).matches("(?s).*is valid: revision [0-9a-f]{12}, 9 tests\\.\\s*");
  }

  @Test
  void validate_reports_all_problems_and_exits_with_two() throws IOException {
    Path one = file("one.yaml", HEADER + "mode: On\nrules: [{name: r, when: x, action: Allow}]\n");
    Path other = file("other.yaml", HEADER + "delay: 3\n");

    Outcome outcome = run("validate", one, other);

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err().lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith(one + ":3:7: mode:"))
        .anyMatch(line -> line.startsWith(one + ":4:25: rules[0].when: `x` is not known here."))
        .anyMatch(line -> line.startsWith(other + ":3:8: delay:"));
  }

  @Test
  void test_runs_the_folder_and_exits_with_one_on_a_failure() throws IOException {
    file("10.yaml", HEADER + "rules: [{name: all, action: Allow}]\n");
    file(
        "10.test.yaml",
        """
        apiVersion: policy.muster.dev/v1
        kind: PreemptionPolicyTests
        tests:
          - {name: right, given: {preemptor: {priority: 1}, victim: {}}, expect: {action: Allow, rule: all}}
          - {name: wrong, given: {preemptor: {priority: 1}, victim: {gpus: 3}}, expect: {action: Deny}}
        """);

    Outcome outcome = run("test", folder);

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out().lines())
        .containsExactly(
            folder + ": wrong: expected Deny, but rule all allows its preemption",
            "1 of 2 tests passed.");
  }

  @Test
  void impossible_expectation_fails_a_test() throws IOException {
    Path policy =
        file(
            "policy.yaml",
            HEADER
                + """
                rules: [{name: all, to: {priority: {max: 9}}, action: Allow}]
                tests:
                  - {name: a, given: {preemptor: {priority: 1}, victim: {}}, expect: {action: Allow, until: 2026-01-05T13:00:00Z}}
                  - {name: b, given: {preemptor: {}, victim: {priority: 10}}, expect: {action: Deny, notice: 1m, price: {fewestGangs: 1}}}
                """);

    assertThat(run("test", policy).out().lines())
        .containsExactly(
            policy + ": a: expected until 2026-01-05T13:00:00Z, but it is absent",
            policy + ": b: expected notice 1m, but it is absent",
            policy + ": b: expected price.fewestGangs 1, but it is absent",
            "0 of 2 tests passed.");
  }

  @Test
  void test_reports_only_the_mistakes_of_an_invalid_file() throws IOException {
    Path policy = file("policy.yaml", HEADER + "mode: On\n");

    Outcome outcome = run("test", policy);

    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith(policy + ":3:7: mode:");
    assertThat(outcome.code()).isEqualTo(2);
  }

  @Test
  void missing_tests_are_reported() throws IOException {
    Path policy = file("policy.yaml", HEADER);

    assertThat(run("test", policy).out()).startsWith("There are no tests, neither under tests");
  }

  @Test
  void tests_beside_a_file_belong_to_it() throws IOException {
    Path policy = file("policy.yaml", HEADER + "rules: [{name: all, action: Allow}]\n");
    String tests =
        """
        apiVersion: policy.muster.dev/v1
        kind: PreemptionPolicyTests
        tests: [{name: right, given: {preemptor: {priority: 1}, victim: {}}, expect: {action: Allow}}]
        """;
    file("policy.test.yaml", tests);
    file("other.test.yaml", tests);

    assertThat(run("test", policy).out()).isEqualTo("1 of 1 test passed.\n");
  }

  @Test
  void shipped_file_is_the_default_policy() throws IOException {
    try (InputStream built = FilePolicy.class.getResourceAsStream("policies/default.yaml")) {
      String shipped = Files.readString(shipped("config/preemption-policy.yaml"));
      assertThat(shipped).startsWith("# yaml-language-server: ");
      assertThat(built).hasContent(shipped.substring(shipped.indexOf('\n') + 1));
    }
  }

  @Test
  void explain_lists_victims_cheapest_first() {
    Outcome outcome =
        run(
            "explain",
            shipped("config/preemption-policy.yaml"),
            "--subjects",
            shipped("config/preemption-subjects.yaml"),
            "--preemptor",
            "vision/train-7b");

    assertThat(outcome.code()).isZero();
    assertThat(outcome.out().lines().filter(line -> !line.startsWith("  ")))
        .satisfiesExactly(
            line -> assertThat(line).contains("after it has waited 30s"),
            line -> assertThat(line).startsWith("nlp/sweep-1").contains("higher-priority allows"),
            line -> assertThat(line).startsWith("nlp/finetune").contains("leastLostWork 28800"),
            line ->
                assertThat(line)
                    .startsWith("nlp/sweep-2")
                    .contains("just-started spares it until 2026-11-02T12:20:00Z"),
            line -> assertThat(line).startsWith("speech/eval").contains("nearly-done"),
            line ->
                assertThat(line).startsWith("speech/notebook").contains("1 GPU)", "owner-marked"),
            line -> assertThat(line).startsWith("vision/release").contains("no-rule"));
    assertThat(outcome.out()).contains("  protection just-started: does not hold");
  }

  @Test
  void explain_requires_a_waiting_gang() {
    Outcome outcome =
        run(
            "explain",
            shipped("config/preemption-policy.yaml"),
            "--subjects",
            shipped("config/preemption-subjects.yaml"),
            "--preemptor",
            "vision/nobody");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("No gang vision/nobody waits for capacity")
        .contains("vision/train-7b");
  }

  @Test
  void diff_shows_changed_verdicts() throws IOException {
    String text = Files.readString(shipped("config/preemption-policy.yaml"));
    Path young = file("new.yaml", text.replace("minRunTime: 30m", "minRunTime: 5m"));

    Outcome outcome =
        run(
            "diff",
            shipped("config/preemption-policy.yaml"),
            young,
            "--subjects",
            shipped("config/preemption-subjects.yaml"));

    assertThat(outcome.out().lines())
        .containsExactly(
            "nlp/sweep-2 for vision/train-7b:",
            "  - just-started spares it until 2026-11-02T12:20:00Z: It has run for 10m, less than 30m.",
            "  + rule higher-priority allows its preemption at lowestPriority 10, fewestGangs 1, leastLostWork 4800, notice 1m, grace 2m",
            "Changes: 1, among 1 waiting and 6 running gangs.");
    assertThat(outcome.code()).isZero();
  }

  @Test
  void diff_ignores_reordered_text() throws IOException {
    String subjects =
        """
        apiVersion: policy.muster.dev/v1
        kind: PreemptionSubjects
        now: 2026-11-02T12:00:00Z
        waiting: [{name: ml/waits}]
        running: [{name: ml/runs}]
        """;

    assertThat(
            run(
                    "diff",
                    file("old.yaml", HEADER),
                    file("new.yaml", HEADER + "victimOrder: [youngest]\n"),
                    "--subjects",
                    file("subjects.yaml", subjects))
                .out()
                .lines())
        .containsExactly(
            "victimOrder: [lowestPriority, fewestGangs, leastLostWork] -> [youngest]",
            "Changes: 1, among 1 waiting and 1 running gangs.");
  }

  @Test
  void diff_of_a_policy_with_itself_is_empty() {
    Path same = shipped("config/preemption-policy.yaml");

    assertThat(
            run("diff", same, same, "--subjects", shipped("config/preemption-subjects.yaml")).out())
        .isEqualToIgnoringNewLines("Changes: 0, among 1 waiting and 6 running gangs.");
  }
}
