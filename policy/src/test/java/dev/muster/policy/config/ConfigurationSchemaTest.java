package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.core.topology.TopologyPreset;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The published schema describes every field and preset.
class ConfigurationSchemaTest extends ConfigurationFiles {
  @ParameterizedTest
  @EnumSource
  void every_preset_can_be_configured(TopologyPreset preset) {
    TopologyFields topology = value(load("topology: {preset: " + preset.key() + "}\n")).topology();

    assertThat(topology.preset()).contains(preset);
    assertThat(topology.levels()).isEqualTo(preset.levels());
  }

  @Test
  void schema_knows_every_preset() throws IOException {
    List<String> keys = Arrays.stream(TopologyPreset.values()).map(TopologyPreset::key).toList();

    assertThat(schema().at("/properties/topology/properties/preset/enum").valueStream())
        .extracting(JsonNode::asText)
        .containsExactlyElementsOf(keys);
  }

  @Test
  void every_field_in_the_published_schema_is_described() throws IOException {
    List<String> undescribed = new ArrayList<>();
    collectUndescribed(schema(), "", undescribed);

    assertThat(undescribed).isEmpty();
  }

  private static void collectUndescribed(JsonNode schema, String path, List<String> found) {
    if (schema.path("description").asText().isBlank()) {
      found.add(path);
    }
    schema
        .path("properties")
        .properties()
        .forEach(field -> collectUndescribed(field.getValue(), path + "/" + field.getKey(), found));
    if (schema.has("items")) {
      collectUndescribed(schema.path("items"), path + "/items", found);
    }
  }

  private static JsonNode schema() throws IOException {
    try (InputStream in =
        MusterConfiguration.class.getResourceAsStream("muster-configuration-v1.schema.json")) {
      return new ObjectMapper().readTree(Objects.requireNonNull(in));
    }
  }
}
