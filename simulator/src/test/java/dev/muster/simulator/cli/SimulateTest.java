package dev.muster.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceOptions;
import dev.muster.simulator.trace.format.TraceFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The simulator's commands work as a user types them.
final class SimulateTest {
  private static final String TRACE =
      """
      job_id,num_gpu,submit_time,iterations,model_name,duration,interval
      1,8,0,10,resnet50,100,10
      2,8,10,10,resnet50,20,10
      """;

  private static int muster(String... arguments) {
    CommandLine line = Simulate.commandLine();
    return line.setCaseInsensitiveEnumValuesAllowed(true).execute(arguments);
  }

  private static Path trace(Path folder) throws IOException {
    return Files.writeString(folder.resolve("trace.csv"), TRACE);
  }

  @Test
  void run_writes_its_files(@TempDir Path folder) throws IOException {
    Path out = folder.resolve("out");
    int code =
        muster(
            "run",
            "--cluster",
            "1x8",
            "--trace",
            trace(folder).toString(),
            "--policy",
            "srtf",
            "--out",
            out.toString());
    assertThat(code).isZero();
    assertThat(Files.readAllLines(out.resolve("jobs.csv"))).hasSize(3);
    assertThat(out.resolve("summary.json")).content().contains("\"makespan_s\" : 120");
    assertThat(out.resolve("report.html")).isNotEmptyFile();
  }

  @Test
  void plan_adds_to_nodes_in_short_form(@TempDir Path folder) throws IOException {
    String trace = trace(folder).toString();
    assertThat(muster("plan", "--trace", trace, "--goal", "max wait under 1s", "--with", "1x8"))
        .isZero();
  }

  @Test
  void plan_writes_its_curve(@TempDir Path folder) throws IOException {
    Path out = folder.resolve("out");
    String trace = trace(folder).toString();
    String[] plan = {
      "plan",
      "--trace",
      trace,
      "--goal",
      "max wait under 1s",
      "--price",
      "2",
      "--out",
      out.toString()
    };
    assertThat(muster(plan)).isZero();
    assertThat(Files.readAllLines(out.resolve("plan.csv")))
        .contains("1,8,false,90.0,0,1.0,0,19,1460.0,0.25")
        .anyMatch(row -> row.startsWith("2,16,true,0.0,0,"));
    assertThat(out.resolve("plan.json"))
        .content()
        .contains("\"version\" : \"muster-plan/v1\"", "\"nodes\" : 2,", "\"draws\" : 19");
    assertThat(out.resolve("report.html"))
        .content()
        .contains("2 nodes of 8 meet the goal (", "\"assumes\":[\"");
  }

  @Test
  void planned_nodes_do_not_share_names_with_given_ones(@TempDir Path folder) throws IOException {
    String fleet =
        """
        apiVersion: simulator.muster.dev/v1
        kind: Fleet
        pools: [{name: planned, count: 1, gpus: 8}]
        """;
    String others = Files.writeString(folder.resolve("fleet.yaml"), fleet).toString();
    String trace = trace(folder).toString();
    assertThat(muster("plan", "--trace", trace, "--goal", "max wait under 1s", "--with", others))
        .isZero();
  }

  @Test
  void empty_journal_is_no_replay(@TempDir Path folder) throws IOException {
    String empty = Files.writeString(folder.resolve("journal.jsonl"), "").toString();
    assertThat(muster("replay", empty)).isEqualTo(1);
  }

  @Test
  void journal_without_its_beginning_is_no_replay(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("journal.jsonl");
    Files.writeString(
        file,
        """
        {"apiVersion":"journal.muster.dev/v1","kind":"Continuation","turns":700}
        {"event":{"type":"Tick","at":"2026-11-01T00:00:00Z"},"decisions":[]}
        """);
    StringWriter said = new StringWriter();
    CommandLine line = Simulate.commandLine().setErr(new PrintWriter(said));
    assertThat(line.execute("replay", file.toString())).isPositive();
    assertThat(said.toString())
        .contains("none of its 1 turns can be replayed")
        .contains("the beginning of their run is missing");
  }

  @Test
  void trace_may_begin_with_a_byte_order_mark(@TempDir Path folder) throws IOException {
    Path made = folder.resolve("made.jsonl");
    muster("generate", "--cluster", "1x8", "--jobs", "3", "--out", made.toString());
    Files.writeString(made, "\uFEFF" + Files.readString(made));
    assertThat(muster("run", "--cluster", "1x8", "--trace", made.toString())).isZero();
  }

  private static final String SPOT =
      """
      job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type
      filler,a,V100,8,8,1,0,1000,Spot
      urgent,a,V100,8,8,1,100,50,HP
      """;

  private static final String POLICY =
      """
      apiVersion: policy.muster.dev/v1
      kind: PreemptionPolicy
      rules: [{name: up, when: preemptor.priority > victim.priority, action: Allow}]
      """;

  private static int preempting(Path folder, String policy) throws IOException {
    Path trace = Files.writeString(folder.resolve("spot.csv"), SPOT);
    Path file = Files.writeString(folder.resolve("policy.yaml"), policy);
    return muster(
        "run",
        "--cluster",
        "1x8:V100",
        "--trace",
        trace.toString(),
        "--preemption",
        file.toString(),
        "--out",
        folder.resolve("out").toString());
  }

  @Test
  void simulation_preempts_the_victims_of_the_live_policy(@TempDir Path folder) throws IOException {
    assertThat(preempting(folder, POLICY)).isZero();
    assertThat(folder.resolve("out/summary.json")).content().contains("\"preemptions\" : 1");
  }

  @Test
  void invalid_policy_is_refused(@TempDir Path folder) throws IOException {
    assertThat(preempting(folder, POLICY.replace("Allow", "Perhaps"))).isEqualTo(2);
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void policies_are_compared(@TempDir Path folder) throws IOException {
    Path out = folder.resolve("out");
    int code =
        muster(
            "compare",
            "--cluster",
            "1x8",
            "--trace",
            trace(folder).toString(),
            "--policy",
            "fifo-strict/best-fit,srtf,muster",
            "--out",
            out.toString());
    assertThat(code).isZero();
    assertThat(Files.readAllLines(out.resolve("changes.csv"))).hasSize(1 + 3 * 2);
  }

  @Test
  void sweep_is_run_in_parts_and_merged(@TempDir Path folder) throws IOException {
    Path out = folder.resolve("out");
    String[] sweep = {
      "sweep",
      "--cluster",
      "1x8",
      "--cluster",
      "2x8",
      "--trace",
      trace(folder).toString(),
      "--policy",
      "srtf,easy",
      "--of",
      "2",
      "--out",
      out.toString(),
      "--index",
      "0"
    };
    assertThat(muster(sweep)).isZero();
    assertThat(Files.readAllLines(out.resolve("sweep.csv"))).hasSize(1 + 2);
    sweep[sweep.length - 1] = "1";
    assertThat(muster(sweep)).isZero();
    assertThat(Files.readAllLines(out.resolve("sweep.csv"))).hasSize(1 + 4);
  }

  @Test
  void plan_states_whether_the_goal_can_be_met(@TempDir Path folder) throws IOException {
    String trace = trace(folder).toString();
    assertThat(muster("plan", "--trace", trace, "--goal", "max wait under 1s", "--policy", "easy"))
        .isZero();
    assertThat(
            muster(
                "plan",
                "--trace",
                trace,
                "--goal",
                "max wait under 1s",
                "--policy",
                "easy",
                "--most",
                "1"))
        .isEqualTo(1);
  }

  @Test
  void job_that_never_starts_for_its_model_is_reported_with_it(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("t.jsonl");
    Files.writeString(
        file,
        """
        {"format":"muster-trace/v1"}
        {"id":"a","submit_ms":0,"run_ms":1,"gpus":1,"models":["H100","V100"],"required_level":"rack"}
        """);
    try (Trace trace = TraceFiles.open(file, TraceOptions.DEFAULT)) {
      assertThat(PlanCommand.never(trace.next(), 6))
          .contains("1 x 1 GPU of the model H100 or V100, all in one rack.");
    }
  }
}
