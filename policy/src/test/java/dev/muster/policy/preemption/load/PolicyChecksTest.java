package dev.muster.policy.preemption.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.file.Loaded;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.preemption.PolicyYaml;
import dev.muster.policy.preemption.load.PolicyChecks.Checked;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// All tests of a policy are found and run.
class PolicyChecksTest {
  private static final PolicyLoader LOADER = new PolicyLoader(Plugins.NONE, failure -> {});
  private static final String TESTS =
      """
      apiVersion: policy.muster.dev/v1
      kind: PreemptionPolicyTests
      tests: [{name: nobody, given: {preemptor: {}, victim: {}}, expect: {action: Deny}}]
      """;

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void policy() throws IOException {
    Files.writeString(folder.resolve("policy.yaml"), PolicyYaml.HEADER);
  }

  private Loaded<Checked> run() {
    return PolicyChecks.run(PolicySources.of(folder), PolicySources.testsOf(folder), LOADER);
  }

  private Checked checked(String policy) throws IOException {
    Files.writeString(folder.resolve("policy.yaml"), PolicyYaml.HEADER + policy);
    return run().orThrow(IllegalStateException::new);
  }

  @Test
  void rules_and_protections_that_decide_in_no_test_are_named() throws IOException {
    assertThat(
            checked(
                    """
                    rules:
                      - {name: urgent, from: {priority: {min: 9}}, action: Allow}
                      - {name: rest, action: Deny}
                    protect: [{name: young, minRunTime: 1h}]
                    tests: [{name: a, given: {preemptor: {priority: 9}, victim: {ran: 2h}}, expect: {action: Allow}}]
                    """)
                .untested())
        .containsExactly("rest", "young");
  }

  @Test
  void condition_reads_the_time_since_the_checkpoint() throws IOException {
    assertThat(
            checked(
                    """
                    rules: [{name: fresh, when: "victim.sinceCheckpoint < duration('10m')", action: Allow}]
                    tests:
                      - {name: a, given: {preemptor: {priority: 1}, victim: {ran: 2h, sinceCheckpoint: 5m}}, expect: {action: Allow}}
                      - {name: b, given: {preemptor: {priority: 1}, victim: {ran: 2h}}, expect: {action: Deny}}
                    """)
                .outcomes())
        .allMatch(PolicyChecks.Outcome::passed);
  }

  @Test
  void equal_priorities_fail_a_test_that_expects_allow() throws IOException {
    assertThat(
            checked(
                    """
                    rules: [{name: all, action: Allow}]
                    tests: [{name: a, given: {preemptor: {priority: 3}, victim: {priority: 3}}, expect: {action: Allow}}]
                    """)
                .outcomes()
                .getFirst()
                .disagreements())
        .containsExactly(
            "expected Allow, but priority-floor spares it: Under any policy, priority 3 takes nothing from priority 3, unless its queue gets back what the other borrows.");
  }

  @Test
  void queue_gets_back_what_another_one_borrows_at_any_priority() throws IOException {
    assertThat(
            checked(
                    """
                    rules: [{name: all, action: Allow}]
                    tests:
                      - name: a
                        given: {preemptor: {name: a/new}, victim: {name: b/old, priority: 9, borrows: true}}
                        expect: {action: Allow}
                    """)
                .outcomes()
                .getFirst()
                .disagreements())
        .isEmpty();
  }

  private List<String> problems() {
    return switch (run()) {
      case Loaded.Valid<Checked>(Checked checked, String _) ->
          throw new AssertionError(checked.outcomes().size() + " tests were run");
      case Loaded.Invalid<Checked>(List<FileProblem> problems) ->
          problems.stream().map(FileProblem::render).toList();
    };
  }

  @Test
  void unreadable_tests_are_not_ignored() throws IOException {
    Files.writeString(folder.resolve("a.test.yaml"), TESTS);
    Path gone = folder.resolve("b.test.yaml");
    Files.createSymbolicLink(gone, Path.of("nowhere"));

    assertThat(problems()).containsExactly(gone + ": no such file or folder.");
  }

  @Test
  void too_many_test_files_are_reported() throws IOException {
    for (int i = 0; i < 201; i++) {
      Files.writeString(folder.resolve(i + ".test.yaml"), TESTS);
    }

    assertThat(problems()).containsExactly(folder + ": has 201 files; at most 200 are allowed.");
  }
}
