package dev.muster.policy.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A policy consists of the files at its path.
class PolicySourcesTest {
  @TempDir private Path folder = Path.of("");

  private Path broken(String name) throws IOException {
    return Files.createSymbolicLink(folder.resolve(name), Path.of("nowhere"));
  }

  @Test
  void dangling_link_is_a_problem() throws IOException {
    Files.writeString(folder.resolve("20-base.yaml"), PolicyYaml.HEADER);
    Path spares = broken("10-spares.yaml");

    assertThat(PolicySources.of(folder).problems())
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.file()).isEqualTo(spares.toString());
          assertThat(problem.message()).startsWith("no such file");
        });
  }

  @Test
  void dangling_link_of_tests_beside_a_file_is_a_problem() throws IOException {
    Path policy = Files.writeString(folder.resolve("base.yaml"), PolicyYaml.HEADER);
    broken("base.test.yaml");

    assertThat(PolicySources.testsOf(policy).problems()).hasSize(1);
  }

  @Test
  void folders_and_hidden_files_are_ignored() throws IOException {
    Path policy = Files.writeString(folder.resolve("base.yaml"), PolicyYaml.HEADER);
    Files.createDirectory(folder.resolve("folder.yaml"));
    broken(".#base.yaml"); // an editor's mark

    PolicySources sources = PolicySources.of(folder);

    assertThat(sources.problems()).isEmpty();
    assertThat(sources.contents().keySet()).containsExactly(policy.toString());
  }
}
