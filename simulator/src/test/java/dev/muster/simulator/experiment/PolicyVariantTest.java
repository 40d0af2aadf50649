package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class PolicyVariantTest {
  /// Some commands have the placement behind a slash, others as an option.
  @Test
  void placement_option_is_refused_for_muster() {
    assertThatThrownBy(() -> PolicyVariant.of("muster", Optional.of("best-fit")))
        .hasMessage("Placement best-fit does not apply to the policy muster.");
  }
}
