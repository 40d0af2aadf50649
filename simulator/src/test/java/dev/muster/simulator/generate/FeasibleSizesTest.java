package dev.muster.simulator.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.fleet.Fleets;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Sizes of generated jobs fit the fleet.
final class FeasibleSizesTest {
  private static final WeightedChoice UP_TO_32 = WeightedChoice.parse("8,16,32");

  private static FeasibleSizes on(String fleet) throws IOException {
    return FeasibleSizes.of(Fleets.of(fleet), 8);
  }

  @Test
  void jobs_of_one_model_must_fit_on_that_model() throws IOException {
    FeasibleSizes sizes = on("2x8:V100,2x8:P100");
    assertThat(sizes.among(UP_TO_32).values()).containsExactly("8", "16");
    assertThatThrownBy(() -> sizes.check(UP_TO_32))
        .hasMessageStartingWith(
            "Size 32 (--sizes), in workers of at most 8 GPUs (--gpus-per-worker), does not fit")
        .hasMessageContaining("Needs 32 GPUs of one model; the best, P100, has 16.");
  }

  @Test
  void workers_must_fit_on_a_node() throws IOException {
    FeasibleSizes sizes = on("9x4");
    assertThatThrownBy(() -> sizes.check(WeightedChoice.parse("8")))
        .hasMessageContaining("Needs 8 GPUs on one node; the largest matching node has 4.");
  }
}
