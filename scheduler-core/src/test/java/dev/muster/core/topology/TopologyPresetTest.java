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
  void aPresetIsFoundByItsKeyAndNamesEachLevelOnce(TopologyPreset preset) {
    assertThat(TopologyPreset.byKey(preset.key())).contains(preset);
    assertThat(preset.levels()).isNotEmpty().doesNotContain(TopologyLevel.NODE);
    assertThat(preset.levels()).extracting(TopologyLevel::name).doesNotHaveDuplicates();
    assertThat(preset.levels()).extracting(TopologyLevel::label).doesNotHaveDuplicates();
  }

  @Test
  void anUnknownKeyFindsNoPreset() {
    assertThat(TopologyPreset.byKey("UPSTREAM")).isEmpty();
  }

  @Test
  void theLevelsOfAPresetStartWithTheOutermost() {
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
  void aLevelHasANameAndALabelUnlessItIsTheNode(String name, String label) {
    assertThatThrownBy(() -> new TopologyLevel(name, label))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("opology level");
  }

  @Test
  void theNodeIsALevelWithoutLabel() {
    assertThat(TopologyLevel.NODE).isEqualTo(new TopologyLevel("node", ""));
  }
}
