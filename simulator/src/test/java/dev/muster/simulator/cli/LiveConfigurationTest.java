package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The configuration of the live server applies in simulation, and budgets are accounted.
final class LiveConfigurationTest {
  private static final String TRACE =
      """
      {"format":"muster-trace/v1","start":"2026-11-01T00:00:00Z","notes":[]}
      {"id":"a1","queue":"a","user":"ann","project":"vision","submit_ms":0,"run_ms":3600000,"gpus":4}
      {"id":"a2","queue":"a","user":"ann","project":"vision","submit_ms":0,"run_ms":3600000,"gpus":4}
      {"id":"b1","queue":"b","user":"bob","submit_ms":0,"run_ms":3600000,"gpus":2}
      {"id":"x1","queue":"x","submit_ms":0,"run_ms":3600000,"gpus":1}
      """;

  private static final String CONFIG =
      """
      apiVersion: config.muster.dev/v1
      kind: MusterConfiguration
      queues:
        - {name: a, weight: 2, namespaces: [ml], maximum: {gpus: 4}}
        - {name: b}
      """;

  private static final String BUDGETS =
      """
      apiVersion: simulator.muster.dev/v1
      kind: Budgets
      queues: {a: 16, b: 1.5}
      users: {ann: 4, nobody: 10}
      projects: {vision: 80}
      """;

  @TempDir private Path folder;

  private int run(String option, String content) throws IOException {
    Path trace = Files.writeString(folder.resolve("trace.jsonl"), TRACE);
    Path file = Files.writeString(folder.resolve("file.yaml"), content);
    return Simulate.commandLine()
        .setCaseInsensitiveEnumValuesAllowed(true)
        .execute(
            "run",
            "--cluster",
            "2x8",
            "--trace",
            trace.toString(),
            option,
            file.toString(),
            "--out",
            folder.resolve("out").toString());
  }

  private JsonNode summary() throws IOException {
    return new JsonMapper().readTree(folder.resolve("out/summary.json").toFile());
  }

  private List<String> states() throws IOException {
    List<String> states = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("out/jobs.csv"))) {
      List<String> cells = List.of(line.split(",", -1));
      states.add(cells.getFirst() + " " + cells.get(9) + " " + cells.get(19) + cells.get(20));
    }
    return states.subList(1, states.size());
  }

  @Test
  void queue_maximum_holds_and_unknown_queues_are_refused() throws IOException {
    assertThat(run("--config", CONFIG)).isZero();
    assertThat(states())
        .containsExactly("a1 0 done", "a2 3600 done", "b1 0 done", "x1  rejectedUnknownQueue");
  }

  @Test
  void without_the_file_there_are_no_limits() throws IOException {
    assertThat(run("--budgets", BUDGETS)).isZero();
    assertThat(states()).containsExactly("a1 0 done", "a2 0 done", "b1 0 done", "x1 0 done");
  }

  @Test
  void mistakes_of_the_file_are_reported() throws IOException {
    assertThat(run("--config", CONFIG.replace("maximum", "maximal"))).isEqualTo(2);
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void budgets_show_their_usage() throws IOException {
    assertThat(run("--budgets", BUDGETS)).isZero();
    List<String> told = new ArrayList<>();
    for (JsonNode each : summary().at("/usage/budgets")) {
      told.add(
          "%s %s %s %s"
              .formatted(
                  each.path("of").asText(),
                  each.path("name").asText(),
                  each.path("gpu_hours").asText(),
                  each.path("consumed").asText()));
    }
    assertThat(told)
        .containsExactly(
            "queue a 8.0 0.5",
            "queue b 2.0 1.333333",
            "user ann 8.0 2.0",
            "user nobody 0.0 0.0",
            "project vision 8.0 0.1");
  }

  @Test
  void budget_of_zero_is_refused() throws IOException {
    assertThat(run("--budgets", BUDGETS.replace("1.5", "0"))).isEqualTo(2);
  }
}
