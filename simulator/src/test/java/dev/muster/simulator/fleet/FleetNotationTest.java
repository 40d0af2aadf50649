package dev.muster.simulator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The short form of a fleet is parsed.
final class FleetNotationTest {
  @Test
  void nodes_times_gpus() {
    Fleet fleet = FleetNotation.parse("12x8").orElseThrow();
    assertThat(fleet.nodes()).hasSize(12);
    assertThat(fleet.gpus()).isEqualTo(96);
  }

  @Test
  void parts_with_models() {
    Fleet fleet = FleetNotation.parse("4x8:V100,2x4:P4").orElseThrow();
    assertThat(fleet.models()).isEqualTo(Map.of("V100", 32, "P4", 8));
    assertThat(fleet.nodes().get(5).id().name()).isEqualTo("node-00006");
  }

  @Test
  void nodes_are_named_independent_of_the_locale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("ar", "EG"));
    try {
      Fleet fleet = FleetNotation.parse("2x8").orElseThrow();
      assertThat(fleet.nodes().getLast().id().name()).isEqualTo("node-00002");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void other_text_is_no_fleet() {
    assertThat(FleetNotation.parse("fleet.yaml")).isEmpty();
    assertThat(FleetNotation.parse("0x8")).isEmpty();
    assertThat(FleetNotation.parse("4x8,")).isEmpty();
  }
}
