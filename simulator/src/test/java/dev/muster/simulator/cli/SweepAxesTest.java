package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;

/// Further axes of `sweep`, and the file that has all of its options.
final class SweepAxesTest {
  private static final String HEAD =
      """
      apiVersion: simulator.muster.dev/v1
      kind: Experiment
      trace: t.csv
      """;

  @TempDir private Path folder;
  private final StringWriter said = new StringWriter();

  @BeforeEach
  void trace() throws IOException {
    Files.writeString(
        folder.resolve("t.csv"),
        "job_id,num_gpu,submit_time,duration\na,8,0,100000\nb,8,10,200000\n");
  }

  private int sweep(String... arguments) {
    return Simulate.commandLine().setErr(new PrintWriter(said)).execute(arguments);
  }

  private int experiment(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("e.yaml"), HEAD + text);
    return sweep("sweep", "--experiment", file.toString(), "--out", out().toString());
  }

  private int axes(String... more) {
    List<String> arguments = new ArrayList<>(List.of("sweep", "--cluster", "1x8"));
    arguments.addAll(List.of("--trace", folder.resolve("t.csv").toString()));
    arguments.addAll(List.of("--out", out().toString()));
    arguments.addAll(List.of(more));
    return sweep(arguments.toArray(String[]::new));
  }

  private Path out() {
    return folder.resolve("out");
  }

  private List<String> lines() throws IOException {
    return Files.readAllLines(out().resolve("sweep.csv"));
  }

  @Test
  void option_can_be_an_axis() throws IOException {
    assertThat(axes("--failures", "1d", "--axis", "restart=1h", "--axis", "restart=2h"))
        .as(said.toString())
        .isZero();
    assertThat(lines().getFirst()).startsWith("cluster,failures,policy,restart,scale,seed,");
    assertThat(lines()).hasSize(1 + 2);
    assertThat(lines().get(1)).contains(",\"1h\",");
    assertThat(lines().get(2)).contains(",\"2h\",");
  }

  @Test
  void several_axes_are_combined_each_with_each() throws IOException {
    assertThat(
            axes(
                "--failures",
                "1d",
                "--axis",
                "restart=1h",
                "--axis",
                "checkpoint=none",
                "--axis",
                "restart=2h",
                "--axis",
                "checkpoint=3h"))
        .as(said.toString())
        .isZero();
    assertThat(lines()).hasSize(1 + 2 * 2);
  }

  @Test
  void option_counts_as_used_if_one_combination_uses_it() throws IOException {
    Path policy = folder.resolve("p.yaml");
    Files.writeString(
        policy,
        """
        apiVersion: policy.muster.dev/v1
        kind: PreemptionPolicy
        rules: [{name: all, action: Allow}]
        """);
    assertThat(
            axes(
                "--checkpoint",
                "1h",
                "--axis",
                "preemption=none",
                "--axis",
                "preemption=" + policy))
        .as(said.toString())
        .isZero();
  }

  @Test
  void option_that_no_combination_uses_is_refused() {
    assertThat(axes("--axis", "checkpoint=1h")).isNotZero();
    assertThat(said.toString()).contains("--checkpoint has no effect");
  }

  @Test
  void wrong_value_of_an_axis_is_named() {
    assertThat(axes("--failures", "1d", "--axis", "checkpoint=1x")).isNotZero();
    assertThat(said.toString()).contains("--axis {checkpoint=1x}:", "\"1x\" is not a duration.");
  }

  @Test
  void unknown_axis_is_refused_with_the_nearest_name() {
    assertThat(axes("--axis", "chekpoint=1h")).isNotZero();
    assertThat(said.toString()).contains("--axis \"chekpoint=1h\"", "Did you mean checkpoint?");
  }

  @Test
  void value_given_twice_is_refused() {
    assertThat(axes("--failures", "1d", "--axis", "restart=1h", "--axis", "restart=1h"))
        .isNotZero();
    assertThat(said.toString()).contains("--axis restart=1h is given twice.");
  }

  @Test
  void option_and_axis_of_one_name_exclude_each_other() {
    assertThat(axes("--failures", "1d", "--restart", "1m", "--axis", "restart=1h")).isNotZero();
    assertThat(said.toString()).contains("--restart and --axis restart exclude each other.");
  }

  @Test
  void file_stands_for_its_options_and_axes() throws IOException {
    Files.writeString(
        folder.resolve("fleet.yaml"),
        """
        apiVersion: simulator.muster.dev/v1
        kind: Fleet
        pools: [{name: own, count: 2, gpus: 8}]
        """);
    assertThat(
            experiment(
                """
                seeds: 1..2
                options: {restart: [8+:1h, 10m], arrivals: 2}
                axes:
                  cluster: [1x8, fleet.yaml]
                  policy: [muster, easy]
                  failures: [never, 1d]
                  checkpoint: [none, 1h]
                """))
        .as(said.toString())
        .isZero();
    assertThat(lines()).hasSize(1 + 2 * 2 * 2 * (1 + 2));
  }

  @Test
  void unknown_field_is_refused_with_its_place() throws IOException {
    assertThat(experiment("axes: {cluster: [1x8], chekpoint: [1h]}\n")).isNotZero();
    assertThat(said.toString())
        .contains("e.yaml:4:24: axes.chekpoint: unknown field. Did you mean `checkpoint`?");
  }

  @Test
  void missing_file_is_named() {
    assertThat(sweep("sweep", "--experiment", "no-such.yaml", "--out", out().toString()))
        .isNotZero();
    assertThat(said.toString()).contains("no-such.yaml: no such file.");
  }

  @Test
  void option_given_beside_the_file_is_refused() throws IOException {
    Path file = Files.writeString(folder.resolve("e.yaml"), HEAD + "axes: {cluster: [1x8]}\n");
    assertThat(
            sweep(
                "sweep", "--experiment", file.toString(), "--trace", "u.csv", "--out", "somewhere"))
        .isNotZero();
    assertThat(said.toString()).contains("'--trace' (FILE) should be specified only once");
  }

  @Test
  void schema_knows_each_option_that_the_file_may_have() throws IOException {
    CommandSpec sweep =
        Objects.requireNonNull(Simulate.commandLine().getSubcommands().get("sweep"))
            .getCommandSpec();
    JsonNode schema =
        new JsonMapper()
            .readTree(
                Simulate.class.getResourceAsStream(
                    "/dev/muster/simulator/cli/option/experiment-v1.schema.json"));
    List<String> known = new ArrayList<>(List.of("--trace", "--seeds"));
    schema
        .at("/properties/options/properties")
        .fieldNames()
        .forEachRemaining(n -> known.add(option(n)));
    schema
        .at("/properties/axes/properties")
        .fieldNames()
        .forEachRemaining(n -> known.add(option(n)));
    List<String> others =
        List.of(
            "--axis",
            "--experiment",
            "--help",
            "--index",
            "--merge-only",
            "--of",
            "--out",
            "--threads",
            "--version");
    assertThat(known)
        .containsOnlyOnceElementsOf(List.of("--trace", "--cluster", "--budgets"))
        .allMatch(name -> sweep.findOption(name) != null)
        .containsAll(
            sweep.options().stream()
                .map(option -> option.longestName())
                .filter(name -> !others.contains(name))
                .toList());
  }

  private static String option(String name) {
    return "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }
}
