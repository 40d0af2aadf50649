package dev.muster.policy.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.preemption.load.PolicyChecks;
import dev.muster.policy.preemption.load.PolicyChecks.Checked;
import dev.muster.policy.preemption.load.PolicyChecks.Outcome;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The policies shipped with Muster are valid, and their own tests pass.
class ReadyPoliciesTest {
  private static final PolicyLoader LOADER = new PolicyLoader(Plugins.NONE, failure -> {});

  @ParameterizedTest
  @ValueSource(strings = {"default", "research-cluster", "scavengers", "fair-share", "tenants"})
  void their_tests_pass(String name) throws Exception {
    URI resource =
        Objects.requireNonNull(FilePolicy.class.getResource("policies/" + name + ".yaml"), name)
            .toURI();

    PolicySources sources = PolicySources.of(Path.of(resource));

    Checked checked =
        PolicyChecks.run(sources, PolicySources.NONE, LOADER).orThrow(IllegalStateException::new);

    assertThat(checked.outcomes()).hasSizeGreaterThan(2).allMatch(Outcome::passed, "passes");
    assertThat(checked.untested()).isEmpty();
    assertThat(LOADER.advice(sources, Optional.empty(), List.of())).isEmpty();
  }
}
