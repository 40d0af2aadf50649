package dev.muster.simulator.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.simulator.cli.option.ComparedPolicies;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.PlanGoal;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.QueueBudgets;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The table on the terminal has the figures of the files.
final class SummaryTableTest {
  private static TraceJob job(String id, String user, int gpus) {
    return new TraceJob(
        id, user, "q", 0, 360_000, 1, 1, TraceJobs.gpus(gpus), GangConstraints.NONE, 0, "");
  }

  private static TraceJob wanting(String id, String model) {
    GangConstraints constraints =
        GangConstraints.of(TopologyConstraint.NONE, new GpuModelPreference(List.of(model), false));
    return new TraceJob(id, "", "q", 0, 360_000, 1, 1, TraceJobs.gpus(1), constraints, 0, "");
  }

  private static Scenario scenario(TraceSource trace, Assumptions assumed) {
    return new Scenario(
        FleetNotation.parse("1x8").orElseThrow(),
        trace,
        ComparedPolicies.variant("fifo-skip"),
        assumed,
        42);
  }

  private static String table(Scenario scenario) throws InterruptedException {
    return SummaryTable.of(SummaryCalculation.of(scenario.run(RunObserver.NONE)));
  }

  private static final TraceSource TWO_USERS =
      TraceSource.of("two", List.of(job("a", "ann", 4), job("b", "bob", 1)));

  @Test
  void summary_shows_users_fragments_and_waits() throws InterruptedException {
    assertThat(table(scenario(TWO_USERS, Assumptions.NONE)))
        .contains("0.3 free on nodes partly in use", "0.5 GPU-hours used", "\nwaited ")
        .containsPattern("\nann +1 +0\\.4 ");
  }

  /// A trace of somebody else can name users by escape sequences.
  @Test
  void names_of_the_trace_do_not_act_on_the_terminal() throws InterruptedException {
    TraceSource jobs =
        TraceSource.of("two", List.of(job("a", "ann\u001b[2J\nbob", 4), job("b", "bob", 1)));
    assertThat(table(scenario(jobs, Assumptions.NONE)))
        .contains("\nann [2J bob ")
        .doesNotContain("\u001b");
  }

  @Test
  void bound_of_an_interrupted_run_is_shown() throws InterruptedException {
    List<TraceJob> jobs = IntStream.range(0, 5_000).mapToObj(i -> job("j" + i, "ann", 8)).toList();
    Scenario whole = scenario(TraceSource.of("many", jobs), Assumptions.NONE);
    assertThat(table(whole)).contains(": no policy does better\n");
    assertThat(SummaryTable.of(SummaryCalculation.of(whole.run((_, _) -> false))))
        .contains("STOPPED EARLY", ": no policy does better if all jobs run to completion\n");
  }

  @Test
  void plan_without_jobs_has_no_wait() throws InterruptedException {
    TraceSource large = TraceSource.of("large", List.of(job("a", "ann", 9)));
    Summary run = SummaryCalculation.of(scenario(large, Assumptions.NONE).run(RunObserver.NONE));
    for (String goal : List.of("p95 wait under 1m", "mean slowdown under 2")) {
      assertThat(PlanTable.row(1, run, PlanGoal.of(goal)).strip().split(" +", -1))
          .containsExactly("1", "no", "-", "0.0%");
    }
  }

  @Test
  void reasons_of_rejected_jobs_are_shown() throws InterruptedException {
    TraceSource jobs =
        TraceSource.of(
            "some",
            List.of(
                job("a", "ann", 4),
                job("b", "ann", 9),
                wanting("c", "H100"),
                wanting("d", "H100")));
    assertThat(table(scenario(jobs, Assumptions.NONE)))
        .contains(
            """
            4 jobs: 1 done, 3 rejected
            3 rejected: 2 NoMatchingNodes (c: 0 of 1 node match: 1 WrongGpuModel (The node has unlabelled; requested: H100)), 1 ImpossibleRequest (b: Needs 9 GPUs; the matching nodes have 8 in total).
            """);
  }

  /// They have not waited 0 s.
  @Test
  void jobs_that_never_started_have_no_wait() throws InterruptedException {
    TraceSource jobs = TraceSource.of("large", List.of(job("a", "ann", 4), job("b", "bob", 9)));
    assertThat(table(scenario(jobs, Assumptions.NONE)))
        .containsPattern("\n9-16 +1 +0\\.0 +- +- +- +-\n");
    TraceSource large = TraceSource.of("large", List.of(job("b", "bob", 9)));
    assertThat(table(scenario(large, Assumptions.NONE)))
        .containsPattern("\nwait +- +- +- +- +- +-\n")
        .containsPattern("\nslowdown +- +- +- +- +- +-\n");
  }

  @Test
  void small_budgets_keep_their_decimals() throws InterruptedException {
    QueueBudgets budgets =
        new QueueBudgets(new TreeMap<>(), new TreeMap<>(Map.of("ann", 0.5)), new TreeMap<>());
    assertThat(table(scenario(TWO_USERS, Assumptions.NONE.with(budgets))))
        .containsPattern("user ann +0\\.5 +0\\.4 +80\\.0%");
  }

  @Test
  void skipped_rows_are_shown(@TempDir Path folder) throws IOException, InterruptedException {
    Path file = folder.resolve("t.csv");
    Files.writeString(file, "job_id,num_gpu,submit_time,duration\na,8,0,1\nb,x,0,1\nc,0,0,1\n");
    TraceOptions skipping =
        new TraceOptions(Optional.empty(), true, TraceOptions.DEFAULT.gpusPerWorker());
    Scenario read = scenario(TraceSource.of(file, skipping), Assumptions.NONE);
    assertThat(table(read)).contains("2 unreadable rows of the trace skipped");
    assertThat(scenario(TraceSource.kept(read.trace()), Assumptions.NONE).run(RunObserver.NONE))
        .satisfies(run ->
            assertThat(run.setup().assumptions())
                .contains("2 rows of the trace could not be read and were left out."))
        .satisfies(run -> assertThat(SummaryCalculation.of(run).skipped()).isEqualTo(2));
  }

  @Test
  void assumptions_are_in_words() throws InterruptedException {
    OutageSchedule window =
        new OutageSchedule(
            Optional.of(Duration.ofDays(30)),
            Duration.ofHours(4),
            List.of(
                new OutageSchedule.Window(
                    "node-00001", Duration.ofDays(9), Duration.ofMinutes(5))));
    assertThat(
            scenario(TWO_USERS, Assumptions.NONE.with(window))
                .run(RunObserver.NONE)
                .setup()
                .assumptions())
        .contains(
            "A node fails 30d after it was repaired, and is repaired in 4h, on average.",
            "node-00001 is taken out at 9d for 5m.");
  }
}
