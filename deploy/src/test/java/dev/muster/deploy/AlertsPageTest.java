package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Each alert leads to its section of the page, which says what it means and what to do.
class AlertsPageTest {
  private static final Pattern SECTION = Pattern.compile("(?m)^## (\\w+)$");

  private final String page =
      Files.readString(ShippedFiles.folder().resolveSibling("docs").resolve("alerts.md"));

  AlertsPageTest() throws IOException {}

  static Stream<JsonNode> alerts() {
    JsonNode file = ShippedFiles.tree("manifests/monitoring/alerts.yaml");
    return file.findValues("rules").stream().flatMap(rules -> rules.valueStream());
  }

  private static String name(JsonNode alert) {
    return alert.path("alert").asText();
  }

  @ParameterizedTest
  @MethodSource("alerts")
  void alert_names_its_section(JsonNode alert) {
    assertThat(alert.at("/annotations/runbook_url").asText())
        .isEqualTo("docs/alerts.md#" + name(alert).toLowerCase(Locale.ROOT));
  }

  @ParameterizedTest
  @MethodSource("alerts")
  void table_states_the_severity(JsonNode alert) {
    String anchor = name(alert).toLowerCase(Locale.ROOT);
    String severity = alert.at("/labels/severity").asText();
    assertThat(page).contains("| [%s](#%s) | %s |".formatted(name(alert), anchor, severity));
  }

  @Test
  void page_has_a_section_for_each_alert() {
    List<String> sections = SECTION.matcher(page).results().map(each -> each.group(1)).toList();
    assertThat(sections).isNotEmpty();
    assertThat(sections).containsExactlyElementsOf(alerts().map(AlertsPageTest::name).toList());
  }

  @Test
  void each_section_says_what_to_look_at_and_what_to_do() {
    List<String> sections = SECTION.splitAsStream(page).skip(1).toList();
    assertThat(sections)
        .allSatisfy(section ->
            assertThat(section).containsSubsequence("**Meaning.**", "**Look at.**", "**Do.**"));
  }
}
