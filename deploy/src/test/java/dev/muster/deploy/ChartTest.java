package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.PrettyPrinter;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The chart takes the manifests and the schemas as they are. `ChartRenderingE2E` compares what it
/// renders.
class ChartTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DefaultIndenter LINES = new DefaultIndenter("  ", "\n");
  private static final PrettyPrinter PRETTY =
      new DefaultPrettyPrinter(
              Separators.createDefaultInstance().withObjectFieldValueSpacing(Spacing.AFTER))
          .withObjectIndenter(LINES)
          .withArrayIndenter(LINES);
  private static final Pattern LOOKAHEAD = Pattern.compile("\\(\\?[=!][^()]*\\)");

  @ParameterizedTest
  @CsvSource({
    "crds/podgroups.yaml,manifests/crd/podgroups.yaml",
    "manifests,manifests",
    "second-scheduler,scheduler/second-scheduler",
  })
  void chart_links_to_the_manifests(String link, String target) throws IOException {
    Path chart = ShippedFiles.folder().resolve("chart");
    assertThat(Files.isSymbolicLink(chart.resolve(link))).isTrue();
    assertThat(chart.resolve(link).toRealPath())
        .isEqualTo(ShippedFiles.folder().toRealPath().resolve(target));
  }

  @Test
  void default_configuration_is_the_shipped_one() {
    ObjectNode shipped = (ObjectNode) ShippedFiles.tree("manifests/server/muster.yaml");
    shipped.remove("schedulerNames"); // the template adds it
    assertThat(ShippedFiles.tree("chart/values.yaml").path("config")).isEqualTo(shipped);
  }

  /// The template refuses this default until the admin names the control plane or turns it off.
  @Test
  void network_policy_is_on_and_names_no_control_plane_by_default() {
    var policy = ShippedFiles.tree("chart/values.yaml").path("networkPolicy");
    assertThat(policy.path("enabled").asBoolean()).isTrue();
    assertThat(policy.path("controlPlane")).isEmpty();
  }

  @Test
  void every_value_is_described_and_has_a_default() {
    JsonNode schema = ShippedFiles.tree("chart/values.schema.json");
    var missing = new ArrayList<String>();
    var named = new TreeSet<String>();
    walk(schema.path("properties"), ShippedFiles.tree("chart/values.yaml"), "", missing, named);
    assertThat(missing).isEmpty();
    assertThat(named).contains("/image/digest", "/secondScheduler/setSchedulerName");
  }

  private static void walk(
      JsonNode properties, JsonNode values, String at, List<String> missing, Set<String> named) {
    for (var property : properties.properties()) {
      String place = at + "/" + property.getKey();
      JsonNode value = values.path(property.getKey());
      named.add(place);
      boolean described = !property.getValue().path("description").asText().isBlank();
      if (!described || (value.isMissingNode() && !place.equals("/global"))) {
        missing.add(place);
      }
      walk(property.getValue().path("properties"), value, place, missing, named);
    }
  }

  /// Go has no lookaheads and writes control characters in another way; references get a prefix.
  @Test
  void schema_holds_the_schemas_of_muster() throws IOException {
    JsonNode shipped = JSON.readTree(ShippedFiles.text("chart/values.schema.json"));
    ObjectNode wanted = shipped.deepCopy();
    wanted
        .withObject("/definitions")
        .setAll(
            Map.of(
                "configuration",
                portable(resource("config/muster-configuration-v1.schema.json"), "configuration"),
                "policy",
                portable(resource("preemption/preemption-policy-v1.schema.json"), "policy")));
    Path proposal = ShippedFiles.folder().resolve("target/values.schema.json");
    Files.writeString(proposal, JSON.writer(PRETTY).writeValueAsString(wanted) + "\n");
    assertThat(shipped.equals(wanted))
        .as("chart/values.schema.json is up to date. If not, copy %s there.", proposal)
        .isTrue();
  }

  private static JsonNode resource(String name) throws IOException {
    try (InputStream in = ChartTest.class.getResourceAsStream("/dev/muster/policy/" + name)) {
      return JSON.readTree(Objects.requireNonNull(in, name));
    }
  }

  private static JsonNode portable(JsonNode node, String at) {
    if (node.isArray()) {
      var list = JsonNodeFactory.instance.arrayNode();
      node.forEach(each -> list.add(portable(each, at)));
      return list;
    }
    if (!node.isObject()) {
      return node;
    }
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      JsonNode value = node.path(name);
      switch (name) {
        case "$id", "$schema" -> {}
        case "$ref" -> copy.put(name, value.asText().replace("#/", "#/definitions/" + at + "/"));
        case "pattern" ->
            copy.put(
                name, LOOKAHEAD.matcher(value.asText()).replaceAll("").replace("\\u00", "\\x"));
        default -> copy.set(name, portable(value, at));
      }
    }
    return copy;
  }
}
