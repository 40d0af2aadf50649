package dev.muster.policy.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.file.Loaded;
import dev.muster.policy.preemption.load.PolicyChecks;
import dev.muster.policy.preemption.load.PolicyChecks.Outcome;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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

    Loaded<List<Outcome>> outcomes = PolicyChecks.run(Path.of(resource), LOADER);

    assertThat(outcomes).isInstanceOf(Loaded.Valid.class);
    if (outcomes instanceof Loaded.Valid<List<Outcome>>(List<Outcome> all, String _)) {
      assertThat(all).hasSizeGreaterThan(2).allMatch(Outcome::passed, "passes");
    }
  }
}
