package dev.muster.simulator.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/// A sweep is split by its option, else by the variables of a Kubernetes Indexed Job.
final class ShardOptionTest {
  private static final Map<String, String> POD_1 = Map.of("JOB_COMPLETION_INDEX", "1");

  @Test
  void each_pod_of_an_indexed_job_runs_its_own_shard() {
    assertThat(ShardOption.of(null, 2, POD_1)).isEqualTo(new ShardOption(1, 2));
  }

  @Test
  void explicit_option_wins() {
    assertThat(ShardOption.of(0, 2, POD_1)).isEqualTo(new ShardOption(0, 2));
  }

  @Test
  void default_is_the_first_shard() {
    assertThat(ShardOption.of(null, 1, Map.of())).isEqualTo(new ShardOption(0, 1));
  }

  @Test
  void malformed_variable_is_named() {
    assertThatThrownBy(() -> ShardOption.of(null, 2, Map.of("JOB_COMPLETION_INDEX", "abc")))
        .hasMessage("$JOB_COMPLETION_INDEX: \"abc\" is not a whole number in range.");
  }

  @Test
  void missing_shard_names_its_source() {
    assertThatThrownBy(() -> ShardOption.of(null, 1, POD_1))
        .hasMessageStartingWith("$JOB_COMPLETION_INDEX 1 is out of range: there are 1 parts");
    assertThatThrownBy(() -> ShardOption.of(2, 2, POD_1))
        .hasMessageStartingWith("--index 2 is out of range: there are 2 parts");
  }
}
