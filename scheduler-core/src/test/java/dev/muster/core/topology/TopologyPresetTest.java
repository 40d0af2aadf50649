package dev.muster.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TopologyPresetTest {

  @ParameterizedTest
  @EnumSource
  void preset_is_found_by_its_key_and_names_each_level_once(TopologyPreset preset) {
    assertThat(TopologyPreset.byKey(preset.key())).contains(preset);
    assertThat(preset.levels()).isNotEmpty().doesNotContain(TopologyLevel.NODE);
    assertThat(preset.levels()).extracting(TopologyLevel::name).doesNotHaveDuplicates();
    assertThat(preset.levels()).extracting(TopologyLevel::label).doesNotHaveDuplicates();
  }

  @Test
  void unknown_key_finds_no_preset() {
    assertThat(TopologyPreset.byKey("UPSTREAM")).isEmpty();
  }

  @Test
  void levels_of_a_preset_start_with_the_outermost() {
    assertThat(TopologyPreset.AWS.levels())
        .extracting(TopologyLevel::label)
        .containsExactly(
            "topology.k8s.aws/network-node-layer-1",
            "topology.k8s.aws/network-node-layer-2",
            "topology.k8s.aws/network-node-layer-3",
            "topology.k8s.aws/ultraserver-id");
    assertThat(TopologyPreset.TOPOGRAPH_V1.levels())
        .extracting(TopologyLevel::name)
        .containsExactly("tier-2", "tier-1", "tier-0", "nvlink");
  }

  @ParameterizedTest
  @CsvSource({"'', example.com/rack", "' ', example.com/rack", "rack, ''", "node, example.com/x"})
  void level_has_a_name_and_a_label_unless_it_is_the_node(String name, String label) {
    assertThatThrownBy(() -> new TopologyLevel(name, label))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("opology level");
  }

  @Test
  void node_is_a_level_without_label() {
    assertThat(TopologyLevel.NODE).isEqualTo(new TopologyLevel("node", ""));
  }
}
