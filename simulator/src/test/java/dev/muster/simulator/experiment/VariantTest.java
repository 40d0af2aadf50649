package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class VariantTest {
  /// Some commands have the placement behind a slash, others as an option.
  @Test
  void aPlacementForMusterIsRefusedWhereverItIsWritten() {
    assertThatThrownBy(() -> Variant.of("muster", Optional.of("best-fit")))
        .hasMessage(
            "The policy muster places gangs itself; a placement (best-fit) is for the classic ones. Maybe leave it out.");
  }
}
