package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// A sweep keeps its runs and recognises them.
final class SweepCommandTest {
  private static final String TRACE = "job_id,num_gpu,submit_time,duration\n";

  @TempDir private Path folder;
  private final StringWriter said = new StringWriter();
  private String version = "muster 1";

  @BeforeEach
  void trace() throws IOException {
    Files.writeString(folder.resolve("t.csv"), TRACE + "a,8,0,100\nb,8,10,20\n");
  }

  private int sweep(String... more) {
    List<String> arguments = new ArrayList<>(List.of("sweep", "--policy", "easy"));
    arguments.addAll(List.of("--trace", folder.resolve("t.csv").toString()));
    arguments.addAll(List.of("--out", folder.resolve("out").toString()));
    arguments.addAll(List.of(more));
    CommandLine line = Simulate.commandLine();
    line.getCommandSpec().version(version);
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setErr(new PrintWriter(said))
        .execute(arguments.toArray(String[]::new));
  }

  private List<String> lines() throws IOException {
    return Files.readAllLines(folder.resolve("out/sweep.csv"));
  }

  @Test
  void equal_call_continues_the_sweep() {
    assertThat(sweep("--cluster", "1x8")).isZero();
    assertThat(sweep("--cluster", "1x8")).as(said.toString()).isZero();
  }

  @Test
  void runs_of_another_trace_are_refused() throws IOException {
    assertThat(sweep("--cluster", "1x8")).isZero();
    Files.writeString(folder.resolve("t.csv"), TRACE + "a,8,0,500\n");
    assertThat(sweep("--cluster", "1x8")).isNotZero();
    assertThat(said.toString()).contains("another trace, fleet file or options");
  }

  @Test
  void runs_with_other_options_are_refused() {
    assertThat(sweep("--cluster", "1x8")).isZero();
    assertThat(sweep("--cluster", "1x8", "--arrivals", "2")).isNotZero();
    assertThat(said.toString()).contains("another trace, fleet file or options");
  }

  /// Another version may decide otherwise.
  @Test
  void runs_of_another_version_are_refused() {
    assertThat(sweep("--cluster", "1x8")).isZero();
    version = "muster 2";
    assertThat(sweep("--cluster", "1x8")).isNotZero();
  }

  @Test
  void runs_on_another_fleet_of_that_name_are_refused() throws IOException {
    Path fleet = folder.resolve("fleet.csv");
    Files.writeString(fleet, "num_switch,num_node_p_switch,num_gpu_p_node\n1,1,8\n");
    assertThat(sweep("--cluster", fleet.toString())).as(said.toString()).isZero();
    Files.writeString(fleet, "num_switch,num_node_p_switch,num_gpu_p_node\n1,2,8\n");
    assertThat(sweep("--cluster", fleet.toString())).isNotZero();
  }

  @Test
  void runs_of_another_sweep_are_not_merged() {
    assertThat(sweep("--cluster", "1x8")).isZero();
    assertThat(sweep("--cluster", "2x8", "--merge-only")).isNotZero();
    assertThat(said.toString()).contains("The folder belongs to another sweep");
  }

  @Test
  void shard_without_runs_has_a_header() throws IOException {
    assertThat(sweep("--cluster", "1x8", "--of", "2", "--index", "1")).isZero();
    assertThat(lines()).hasSize(1).first().asString().startsWith("cluster,failures,policy,");
  }

  @Test
  void variant_named_twice_runs_once() throws IOException {
    assertThat(
            sweep(
                "--cluster",
                "1x8",
                "--cluster",
                "1x8",
                "--scale",
                "1,1",
                "--policy",
                "easy",
                "--failures",
                "9d,216h"))
        .as(said.toString())
        .isZero();
    assertThat(lines()).hasSize(2);
  }

  @Test
  void never_means_that_no_node_fails() {
    assertThat(sweep("--cluster", "1x8", "--mtbf", "30m", "--failures", "never,10d")).isNotZero();
    assertThat(said.toString()).contains("--mtbf and --failures exclude each other.");
  }

  @Test
  void without_a_list_the_given_mean_time_is_used() throws IOException {
    assertThat(sweep("--cluster", "1x8", "--mtbf", "720h")).as(said.toString()).isZero();
    assertThat(lines().getFirst()).startsWith("cluster,failures,");
    assertThat(lines().getLast()).startsWith("\"1x8\",\"30d\",");
  }

  @Test
  void unfinished_jobs_are_counted() throws IOException {
    Files.writeString(folder.resolve("t.csv"), TRACE + "a,8,0,100\nb,16,10,20\n");
    assertThat(sweep("--cluster", "1x8")).as(said.toString()).isZero();
    assertThat(lines().getFirst())
        .endsWith(
            "jobs,states.done,states.running,states.waiting,states.rejected,states.unfinished,"
                + "node_losses,goodput,cost_per_month,cost_per_gpu_hour");
    assertThat(lines().getLast()).endsWith(",2,1,0,0,1,0,0,1.0,0.0,0.0");
  }

  @Test
  void figures_without_jobs_are_empty() throws IOException {
    Files.writeString(folder.resolve("t.csv"), TRACE + "a,16,0,100\n");
    assertThat(sweep("--cluster", "1x8")).as(said.toString()).isZero();
    assertThat(lines().getLast()).contains(",,,,,,,,,,0.0,0.0,0,");
  }

  @Test
  void seeds_run_only_where_something_is_random() throws IOException {
    assertThat(sweep("--cluster", "1x8", "--seeds", "1..3", "--failures", "never,1/8gpu-days"))
        .as(said.toString())
        .isZero();
    assertThat(lines()).hasSize(1 + 1 + 3);
    assertThat(lines().getLast()).startsWith("\"1x8\",\"1/8gpu-days\",");
    assertThat(folder.resolve("out/report.html"))
        .content()
        .contains("Of 2 combinations, failures ", " has the shortest mean wait");
  }

  @Test
  void unreadable_run_is_named() throws IOException {
    assertThat(sweep("--cluster", "1x8")).isZero();
    for (String damaged : List.of("", "{\"axes\":", "{\"axes\":{")) {
      Files.writeString(folder.resolve("out/runs/000000.json"), damaged);
      said.getBuffer().setLength(0);
      assertThat(sweep("--cluster", "1x8")).isNotZero();
      assertThat(said.toString())
          .contains("000000.json: is not", "Delete it to repeat the run.")
          .doesNotContain("REDACTED");
    }
  }
}
