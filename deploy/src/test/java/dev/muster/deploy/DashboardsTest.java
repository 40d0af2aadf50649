package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// The dashboards can be imported by any Grafana. `PreemptionOperationE2E` compares their queries
/// with a scrape.
class DashboardsTest {
  @Test
  void every_dashboard_is_in_the_kustomization() throws IOException {
    JsonNode files =
        ShippedFiles.tree("manifests/monitoring/kustomization.yaml")
            .at("/configMapGenerator/0/files");
    List<String> named = new ArrayList<>();
    files.forEach(file -> named.add(file.asText().substring("dashboards/".length())));
    assertThat(named).containsExactlyInAnyOrderElementsOf(Dashboards.all().keySet());
  }

  @Test
  void data_source_is_a_variable() throws IOException {
    for (JsonNode dashboard : Dashboards.all().values()) {
      assertThat(dashboard.at("/templating/list/0/type").asText()).isEqualTo("datasource");
      for (JsonNode panel : dashboard.path("panels")) {
        assertThat(panel.at("/datasource/uid").asText()).isEqualTo("${datasource}");
      }
    }
  }

  @Test
  void panels_neither_overlap_nor_leave_the_grid() throws IOException {
    for (JsonNode dashboard : Dashboards.all().values()) {
      TreeSet<Integer> cells = new TreeSet<>();
      for (JsonNode panel : dashboard.path("panels")) {
        JsonNode place = panel.path("gridPos");
        assertThat(place.path("x").asInt() + place.path("w").asInt()).isBetween(1, 24);
        for (int x = 0; x < place.path("w").asInt(); x++) {
          for (int y = 0; y < place.path("h").asInt(); y++) {
            int cell = (place.path("y").asInt() + y) * 24 + place.path("x").asInt() + x;
            assertThat(cells.add(cell)).as("%s", panel.path("title")).isTrue();
          }
        }
      }
    }
  }

  @Test
  void every_metric_is_on_the_page_of_metrics() throws IOException {
    String page = Files.readString(ShippedFiles.folder().resolveSibling("docs").resolve("api.md"));
    for (String series : Dashboards.series()) {
      String metric = series.replaceFirst("_(bucket|count|sum)$", "");
      boolean named =
          metric.contains(" ")
              || metric.startsWith("jvm_")
              || page.contains("`" + metric + "`")
              || (page.contains("`muster_queue_*`") && metric.startsWith("muster_queue_"))
              || (page.contains("`muster_policy_*`") && metric.startsWith("muster_policy_"));
      assertThat(named).as(metric).isTrue();
    }
  }

  /// The Prometheus Operator gives each series the label `endpoint`, the name of a port. Without
  /// the setting it renames the label of a metric to `exported_endpoint`.
  @Test
  void metrics_keep_their_own_labels() throws IOException {
    Set<String> operator = Set.of("endpoint", "service", "namespace", "container");
    List<String> renamed =
        Dashboards.series().stream()
            .filter(series -> operator.contains(series.substring(series.indexOf(' ') + 1)))
            .toList();
    JsonNode scrape = ShippedFiles.tree("manifests/monitoring/service-monitor.yaml");
    assertThat(renamed).isNotEmpty();
    assertThat(scrape.at("/spec/endpoints/0/honorLabels").asBoolean()).isTrue();
  }
}
