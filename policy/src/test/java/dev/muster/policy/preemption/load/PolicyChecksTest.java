package dev.muster.policy.preemption.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.file.Loaded;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicyYaml;
import dev.muster.policy.preemption.load.PolicyChecks.Outcome;
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

  private List<String> problems() {
    return switch (PolicyChecks.run(folder, LOADER)) {
      case Loaded.Valid<List<Outcome>>(List<Outcome> outcomes, String _) ->
          throw new AssertionError(outcomes.size() + " tests were run");
      case Loaded.Invalid<List<Outcome>>(List<FileProblem> problems) ->
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
