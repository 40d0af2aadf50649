package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Invalid calls are refused before anything runs, with the reason.
final class RefusalsTest {
  @TempDir private Path folder;
  private String trace = "";

  @BeforeEach
  void trace() throws IOException {
    Path file = folder.resolve("t.csv");
    trace = Files.writeString(file, "job_id,num_gpu,submit_time,duration\na,8,0,100\n").toString();
  }

  /// Returns the messages of a command that must fail.
  private String refusal(String command, String... more) {
    StringWriter said = new StringWriter();
    List<String> arguments = new ArrayList<>(List.of(command, "--trace", trace));
    arguments.addAll(List.of(more));
    CommandLine line = Simulate.commandLine().setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler((failure, _, _) -> {
      said.append(failure.getMessage());
      return 1;
    });
    line.getSubcommands().values().forEach(each -> each.setErr(new PrintWriter(said)));
    assertThat(line.execute(arguments.toArray(String[]::new))).isNotZero();
    return said.toString();
  }

  @Test
  void impossible_output_folder_is_refused() throws IOException {
    // The trace is broken too, which would be told later.
    Files.writeString(folder.resolve("t.csv"), "job_id,num_gpu,submit_time,duration\na,x,0,1\n");
    String out = Files.writeString(folder.resolve("file"), "").toString();
    assertThat(refusal("run", "--cluster", "1x8", "--out", out))
        .contains("Cannot write to the folder " + out, "exists already, as another kind of file.");
  }

  @Test
  void duplicate_or_malformed_factor_is_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--speed", "A=1,A=2"))
        .isEqualTo("--speed names \"A\" twice.");
    assertThat(refusal("run", "--cluster", "1x8", "--slowdown", "rack=2", "--slowdown", "rack=3"))
        .contains("--slowdown names \"rack\" twice.");
    assertThat(refusal("run", "--cluster", "1x8", "--speed", "A=fast"))
        .contains("the factor \"fast\" is not a number.");
    assertThat(refusal("run", "--cluster", "1x8", "--speed", "fast"))
        .contains("\"fast\" is not of the form NAME=FACTOR.");
  }

  @Test
  void workers_without_gpus_are_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--gpus-per-worker", "0"))
        .contains("--gpus-per-worker 0: must be 1 or more.");
  }

  @Test
  void malformed_numbers_are_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--seed", "1..5"))
        .contains("'--seed'", "\"1..5\" is not a whole number in range.");
    assertThat(refusal("run", "--cluster", "1x8", "--arrivals", "150%"))
        .contains("'--arrivals'", "\"150%\" is not a number.");
    assertThat(refusal("plan", "--goal", "max wait under 1s", "--price", "-3"))
        .contains("--price -3.0: must be a number of 0 or more.");
    assertThat(refusal("plan", "--goal", "max wait under 1s", "--price", "Infinity"))
        .contains("--price Infinity: must be a number of 0 or more.");
  }

  @Test
  void malformed_time_is_refused_with_its_place() {
    assertThat(refusal("plan", "--goal", "p95 wait under 15"))
        .contains("Goal \"p95 wait under 15\": \"15\" is not a duration.");
    String out = folder.resolve("sweep").toString();
    assertThat(refusal("sweep", "--cluster", "1x8", "--out", out, "--failures", "nver"))
        .contains("--failures: \"nver\" is not a duration.", "Without failures it is never.");
  }

  @Test
  void infinite_arrival_factor_is_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--arrivals", "Infinity"))
        .contains("Arrival factor Infinity");
  }

  @Test
  void plan_from_one_draw_is_refused() {
    assertThat(refusal("plan", "--goal", "max wait under 1s", "--resamples", "1"))
        .contains("--resamples 1: must be 9 to 999. One trace and one seed give one number");
  }

  @Test
  void plan_without_nodes_is_refused() {
    assertThat(refusal("plan", "--goal", "max wait under 1s", "--most", "0"))
        .contains("--most 0: must be 1 to 200000.");
  }

  @Test
  void malformed_time_is_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--restart", "3x"))
        .contains("\"3x\" is not a duration. Write it like 30m")
        .doesNotContain("Exception");
  }

  @Test
  void misspelt_fleet_is_refused() {
    assertThat(refusal("run", "--cluster", "2X8"))
        .contains("\"2X8\" is not of the form", "such as 12x8");
    assertThat(refusal("run", "--cluster", "two.yaml"))
        .contains("two.yaml: no such file", "such as 12x8");
  }

  @Test
  void fleet_larger_than_memory_is_refused() {
    assertThat(refusal("run", "--cluster", "9999999x8")).contains("more than 200000 nodes");
  }

  @Test
  void trace_that_is_a_folder_is_refused() {
    trace = folder.toString();
    assertThat(refusal("run", "--cluster", "1x8")).contains(folder + ": is a folder.");
  }

  @Test
  void empty_trace_is_refused() throws IOException {
    trace = Files.writeString(folder.resolve("empty"), "").toString();
    assertThat(refusal("run", "--cluster", "1x8")).contains(trace + ": is empty.");
  }

  @Test
  void trace_in_utf_16_is_refused() throws IOException {
    Path file = folder.resolve("wide.csv");
    String text = "\uFEFFjob_id,num_gpu,submit_time,duration\r\na,8,0,100\r\n";
    trace = Files.writeString(file, text, StandardCharsets.UTF_16LE).toString();
    assertThat(refusal("run", "--cluster", "1x8"))
        .contains(trace + ": is UTF-16 text; expected UTF-8.");
  }

  @Test
  void folder_without_a_name_is_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--out", "")).contains("--out is empty");
  }

  @Test
  void arrival_factor_out_of_range_is_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--arrivals", "1e-9"))
        .contains("Arrival factor 1.0E-9: must be 0.001 to 1000");
  }

  @Test
  void gang_larger_than_the_fleet_is_refused() throws IOException {
    trace =
        Files.writeString(
                folder.resolve("t.jsonl"),
                """
                {"format":"muster-trace/v1"}
                {"id":"a","submit_ms":0,"run_ms":1000,"gpus":1,"workers":2147483647}
                """)
            .toString();
    assertThat(refusal("run", "--cluster", "1x8"))
        .contains("t.jsonl:2:", "workers", "2147483647", "at most 100000");
  }

  @Test
  void result_that_would_replace_an_input_is_refused() throws IOException {
    for (String file : List.of("jobs.csv", "changes.csv", "sweep.csv")) {
      Files.copy(Path.of(trace), folder.resolve(file));
    }
    for (List<String> call :
        List.of(
            List.of("run", "jobs.csv"),
            List.of("compare", "changes.csv"),
            List.of("sweep", "sweep.csv"))) {
      trace = folder.resolve(call.getLast()).toString();
      assertThat(refusal(call.getFirst(), "--cluster", "1x8", "--out", "" + folder))
          .as(call.getFirst())
          .isEqualTo("%s is an input (--trace); the results would overwrite it.".formatted(trace));
      assertThat(Path.of(trace)).hasSameTextualContentAs(folder.resolve("t.csv"));
    }
  }

  @Test
  void trace_at_the_end_of_time_is_refused() throws IOException {
    trace =
        Files.writeString(
                folder.resolve("max.jsonl"),
                """
                {"format":"muster-trace/v1","start":"+1000000000-12-31T23:59:59Z"}
                {"id":"a","submit_ms":0,"run_ms":60000,"gpus":1}
                """)
            .toString();
    assertThat(refusal("run", "--cluster", "1x8"))
        .contains("max.jsonl:1:1: start: \"+1000000000-12-31T23:59:59Z\"", "years 0 to 9999");
  }

  @Test
  void plan_for_too_many_nodes_is_refused() {
    assertThat(refusal("plan", "--goal", "max jct under 1s", "--most", "2147483647"))
        .isEqualTo("--most 2147483647: must be 1 to 200000.");
  }

  @Test
  void queue_for_a_trace_without_queues_is_refused() {
    assertThat(refusal("plan", "--goal", "max wait of queue prod under 1s"))
        .isEqualTo("Unknown queue prod; the trace has no queues.");
  }

  @Test
  void fleet_of_no_nodes_is_refused() {
    assertThat(refusal("run", "--cluster", "2x8,0x4"))
        .contains("\"0x4\" is not of the form", "1 to 200,000 nodes");
  }

  @Test
  void trace_without_jobs_is_refused() throws IOException {
    trace =
        Files.writeString(folder.resolve("t.csv"), "job_id,num_gpu,submit_time,duration\n")
            .toString();
    for (String command : List.of("run", "compare")) {
      assertThat(refusal(command, "--cluster", "1x8")).contains("Trace " + trace + " has no jobs.");
    }
  }

  @Test
  void trace_of_skipped_rows_only_is_refused() throws IOException {
    Files.writeString(folder.resolve("t.csv"), "job_id,num_gpu,submit_time,duration\na,x,0,1\n");
    assertThat(refusal("run", "--cluster", "1x8", "--skip-bad"))
        .contains("none of its 1 rows could be read");
  }

  @Test
  void fleet_without_nodes_is_refused() throws IOException {
    String fleet =
        Files.writeString(folder.resolve("n.csv"), "sn,cpu_milli,memory_mib,gpu,model\n")
            .toString();
    assertThat(refusal("run", "--cluster", fleet)).contains("Fleet " + fleet + " has no nodes.");
  }

  /// Each gang would give its place back before its pods run, and take it again, and again.
  @Test
  void latency_not_below_the_bind_timeout_is_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--latency", "2m"))
        .isEqualTo(
            "Latency 2m (--latency) must be shorter than gangs.bindTimeout (2m), or no gang would ever start.");
  }

  @Test
  void repair_time_without_failures_is_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--repair", "4h"))
        .isEqualTo("--repair has no effect without --mtbf.");
  }

  @Test
  void restart_cost_without_preemption_is_refused() {
    assertThat(refusal("run", "--cluster", "1x8", "--policy", "easy", "--restart", "5m"))
        .isEqualTo(
            "--restart has no effect: no job is stopped without --preemption, --mtbf or --maintenance.");
    assertThat(refusal("run", "--cluster", "1x8", "--checkpoint", "1h"))
        .startsWith("--checkpoint has no effect: ");
  }

  @Test
  void negative_threads_are_refused() {
    assertThat(refusal("sweep", "--cluster", "1x8", "--threads", "-3", "--out", "" + folder))
        .startsWith("--threads -3: ");
  }

  /// Such options would silently change nothing.
  @Test
  void options_unused_by_the_policy_are_refused() {
    String live = "applies to the policy muster only, not to easy.";
    assertThat(refusal("run", "--cluster", "1x8", "--policy", "easy", "--preemption", "p.yaml"))
        .isEqualTo("--preemption " + live);
    assertThat(refusal("run", "--cluster", "1x8", "--policy", "easy", "--config", "c.yaml"))
        .contains("--config " + live);
    assertThat(refusal("run", "--cluster", "1x8", "--policy", "easy", "--latency", "1s"))
        .contains("--latency " + live);
  }

  @Test
  void options_unused_by_all_policies_are_refused() {
    for (String command : List.of("compare", "sweep")) {
      assertThat(
              refusal(
                  command,
                  "--cluster",
                  "1x8",
                  "--policy",
                  "easy,las/spread",
                  "--latency",
                  "1s",
                  "--out",
                  folder.resolve("out").toString()))
          .as(command)
          .contains("--latency applies to the policy muster only, not to easy, las.");
    }
    assertThat(refusal("plan", "--goal", "max wait under 1s", "--policy", "las", "--latency", "1s"))
        .contains("--latency applies to the policy muster only, not to las.");
  }
}
