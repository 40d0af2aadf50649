package dev.muster.simulator.run.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Meaningless speeds are refused.
final class SpeedModelTest {
  private static final SortedMap<String, Double> NONE = new TreeMap<>();

  private static SortedMap<String, Double> of(String name, double factor) {
    return new TreeMap<>(Map.of(name, factor));
  }

  private static Fleet fleet(String form) {
    return FleetNotation.parse(form).orElseThrow();
  }

  @Test
  void model_in_no_fleet_is_refused() {
    List<Fleet> fleets = List.of(fleet("1x8:V100"), fleet("1x8:P4"));
    assertThatThrownBy(() -> new SpeedModel(of("V1000", 3), NONE).on(fleets))
        .hasMessageContaining("\"V1000\"")
        .hasMessageContaining("Known: P4, V100.");
  }

  @Test
  void model_in_one_of_the_fleets_is_accepted() {
    SpeedModel speed = new SpeedModel(of("P4", 0.5), of("node", 1.1));
    assertThat(speed.on(List.of(fleet("1x8:V100"), fleet("1x8:P4")))).isEqualTo(speed);
  }

  @Test
  void empty_model_is_refused() {
    assertThatThrownBy(() -> new SpeedModel(of("", 2), NONE).on(List.of(fleet("1x8"))))
        .hasMessageContaining("Known: none.");
  }

  @Test
  void level_missing_from_the_fleet_is_refused() {
    assertThatThrownBy(() -> new SpeedModel(NONE, of("rack", 1.2)).on(List.of(fleet("4x8"))))
        .hasMessageContaining("Known: node.");
  }

  /// The end of a job that is so much slower is past all times, and was taken to be over.
  @Test
  void unreasonable_factors_are_refused() {
    assertThatThrownBy(() -> new SpeedModel(NONE, of("node", 1e15)))
        .hasMessage(
            "The slowdown of node is 1.0E15; it must be 1 to 1000, since run times are multiplied by it.");
    assertThatThrownBy(() -> new SpeedModel(of("P4", 1e-300), NONE))
        .hasMessage("The speed of P4 is 1.0E-300; it must be 0.001 to 1000.");
  }

  @Test
  void slowdown_that_is_a_speed_up_is_refused() {
    assertThatThrownBy(() -> new SpeedModel(NONE, of("node", 0.5)))
        .hasMessageContaining("it must be 1 to 1000");
  }
}
