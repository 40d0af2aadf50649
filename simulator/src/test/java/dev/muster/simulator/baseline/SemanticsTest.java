package dev.muster.simulator.baseline;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Contradictory options of classic policies are refused.
final class SemanticsTest {
  @Test
  void falling_thresholds_are_refused() {
    List<Duration> falling = List.of(Duration.ofHours(10), Duration.ofHours(1));
    assertThatThrownBy(() -> BaselineOptions.of(NodeChoice.CONSOLIDATED).with(falling))
        .hasMessageContaining("10h, 1h");
  }
}
