package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.deploy.Dashboards;
import dev.muster.deploy.ShippedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The engine of Prometheus runs the alerts and the queries of the dashboards, by `promtool`.
///
/// The series are in `src/test/resources/monitoring`. `PreemptionOperationE2E` compares their names
/// and labels with a scrape.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusRulesE2E {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TESTS = "src/test/resources/monitoring/";

  private final Path folder;
  private final Path promtool;

  PrometheusRulesE2E(@TempDir Path folder) {
    this.folder = folder;
    promtool = GoBuild.tool("promtool", folder);
  }

  /// What promtool printed, and whether it succeeded.
  private record Answer(int status, String output) {}

  @Test
  void promtool_finds_no_fault_in_the_alerts() throws IOException {
    write("rules.yaml", ShippedFiles.tree("manifests/monitoring/alerts.yaml").path("spec"));
    Answer answer = run("check", "rules", "--lint=all", "--lint-fatal", "rules.yaml");
    assertThat(answer.status()).as(answer.output()).isZero();
  }

  @Test
  void alerts_fire_when_they_should_and_not_otherwise() throws IOException {
    write("rules.yaml", briefAlerts());
    write("alerts.test.yaml", ShippedFiles.tree(TESTS + "alerts.test.yaml"));
    Answer answer = run("test", "rules", "alerts.test.yaml");
    assertThat(answer.status()).as(answer.output()).isZero();
  }

  /// Without this, a series that no alert reads would pass the test above.
  @ParameterizedTest
  @CsvSource({
    "' and on (instance) (muster_leading == 1)',''",
    "> 0.2,> 0.4",
    "'outcome!=','outcome='"
  })
  void another_alert_fails_its_test(String part, String other) throws IOException {
    String rules = JSON.writeValueAsString(briefAlerts());
    String changed = rules.replace(part, other);
    assertThat(changed).isNotEqualTo(rules);
    Files.writeString(folder.resolve("rules.yaml"), changed);
    write("alerts.test.yaml", ShippedFiles.tree(TESTS + "alerts.test.yaml"));
    assertThat(run("test", "rules", "alerts.test.yaml").output()).contains("FAILED");
  }

  @Test
  void every_alert_is_tested_both_ways() {
    for (JsonNode alert : rules(briefAlerts())) {
      var outcomes = new ArrayList<Boolean>();
      for (JsonNode test : ShippedFiles.tree(TESTS + "alerts.test.yaml").path("tests")) {
        for (JsonNode check : test.path("alert_rule_test")) {
          if (check.path("alertname").equals(alert.path("alert"))) {
            outcomes.add(check.path("exp_alerts").isEmpty());
          }
        }
      }
      assertThat(outcomes).as("%s", alert.path("alert")).contains(true, false);
    }
  }

  @Test
  void every_query_of_the_dashboards_has_an_answer() throws IOException {
    var queries = new ArrayList<String>();
    for (JsonNode dashboard : Dashboards.all().values()) {
      Dashboards.queries(dashboard)
          .forEach(query -> queries.add(query.replace("$queue", ".*").replace("$model", ".*")));
    }
    JsonNode tests = ShippedFiles.tree(TESTS + "dashboards.test.yaml");
    assertThat(queries).containsAll(tests.findValuesAsText("expr"));

    ObjectNode rules = JSON.createObjectNode();
    ArrayNode alerts = rules.putArray("groups").addObject().put("name", "all").putArray("rules");
    ArrayNode checks = ((ObjectNode) tests.at("/tests/0")).putArray("alert_rule_test");
    for (int i = 0; i < queries.size(); i++) {
      alerts.addObject().put("alert", "Query" + i).put("expr", "absent(" + queries.get(i) + ")");
      ObjectNode check = checks.addObject().put("eval_time", "8h").put("alertname", "Query" + i);
      check.putArray("exp_alerts");
    }
    write("rules.yaml", rules);
    write("dashboards.test.yaml", tests);

    Answer answer = run("test", "rules", "dashboards.test.yaml");
    assertThat(answer.status()).as("%s%n%s", answer.output(), alerts).isZero();
  }

  /// Returns the alerts with the summary as the only annotation, since the tests repeat it.
  private static JsonNode briefAlerts() {
    JsonNode spec = ShippedFiles.tree("manifests/monitoring/alerts.yaml").path("spec");
    for (JsonNode alert : rules(spec)) {
      ((ObjectNode) alert.path("annotations")).retain("summary");
    }
    return spec;
  }

  private static JsonNode rules(JsonNode spec) {
    return spec.at("/groups/0/rules");
  }

  /// Writes JSON, which is YAML too.
  private void write(String file, JsonNode content) throws IOException {
    JSON.writeValue(folder.resolve(file).toFile(), content);
  }

  private Answer run(String... arguments) throws IOException {
    var command = new ArrayList<>(List.of(promtool.toString()));
    command.addAll(List.of(arguments));
    Path out = folder.resolve("promtool.out");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      if (!process.waitFor(2, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new IllegalStateException("promtool does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while promtool ran", e);
    }
    return new Answer(process.exitValue(), Files.readString(out));
  }
}
