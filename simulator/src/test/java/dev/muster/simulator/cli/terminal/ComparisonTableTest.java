package dev.muster.simulator.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.cli.option.ComparedPolicies;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.report.SummaryCalculation;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.RunResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The output of `compare` covers all jobs and seeds, or states which ones.
final class ComparisonTableTest {
  private static List<RunResult> runs(
      String policy, String jobs, Assumptions assumed, long... seeds) throws InterruptedException {
    List<RunResult> runs = new ArrayList<>();
    for (long seed : seeds) {
      Scenario scenario =
          new Scenario(
              FleetNotation.parse("2x8").orElseThrow(),
              new InMemory(jobs),
              ComparedPolicies.variant(policy),
              assumed,
              seed);
      runs.add(scenario.run(RunObserver.NONE));
    }
    return runs;
  }

  private static List<String> cells(String table, String variant) {
    String row = table.lines().filter(line -> line.contains(variant)).findFirst().orElseThrow();
    return List.of(row.substring(row.indexOf(variant)).split(" +", -1));
  }

  @Test
  void rejected_jobs_are_not_hidden_from_the_comparison() throws InterruptedException {
    // A worker of 12 GPUs fits no node; scattered GPUs do.
    String jobs =
        """
        a 0+100 1x12
        b 0+10 1x4
        """;
    String table =
        ComparisonTable.of(
            List.of(
                runs("fifo-strict/scattered", jobs, Assumptions.NONE, 42),
                runs("fifo-strict/best-fit", jobs, Assumptions.NONE, 42)));
    assertThat(cells(table, "fifo-strict/scattered")).last().isEqualTo("0");
    assertThat(cells(table, "fifo-strict/best-fit")).last().isEqualTo("1");
    assertThat(table).contains("Not comparable: jobs that are not done in both runs.");
  }

  @Test
  void no_finished_job_has_no_mean() throws InterruptedException {
    String jobs = "a 0+100 1x12\n";
    List<RunResult> scattered = runs("fifo-strict/scattered", jobs, Assumptions.NONE, 42);
    List<RunResult> nobody = runs("fifo-strict/best-fit", jobs, Assumptions.NONE, 42);
    String table = ComparisonTable.of(List.of(scattered, nobody));
    assertThat(cells(table, "fifo-strict/scattered").subList(1, 5))
        .containsExactly("0.0s", "0.0s", "100.0s", "100.0s");
    assertThat(cells(table, "fifo-strict/best-fit"))
        .containsExactly("fifo-strict/best-fit", "-", "-", "-", "-", "0.0%", "1", "-", "0/0", "1");
  }

  @Test
  void seed_without_a_finished_job_is_no_part_of_the_mean() throws InterruptedException {
    RunResult whole = runs("fifo-strict", "a 0+100 1x8\n", Assumptions.NONE, 1).getFirst();
    RunResult nothing = runs("fifo-strict", "a 0+100 1x12\n", Assumptions.NONE, 2).getFirst();
    String table = ComparisonTable.of(List.of(List.of(whole, nothing)));
    assertThat(cells(table, "fifo-strict/consolidated").subList(1, 5))
        .containsExactly("0.0s", "0.0s", "100.0s", "100.0s");
  }

  @Test
  void number_of_unfinished_jobs_is_shown_for_each_run() throws InterruptedException {
    List<RunResult> rejecting =
        runs("fifo-strict/best-fit", "a 0+9 1x12\nb 0+9 1x4\n", Assumptions.NONE, 1);
    String table = ComparisonTable.of(List.of(rejecting));
    assertThat(table.lines().findFirst().orElseThrow()).contains("util.  not done");
    assertThat(cells(table, "fifo-strict/best-fit").get(6)).isEqualTo("1");
  }

  @Test
  void no_job_got_worse() throws InterruptedException {
    List<RunResult> runs = runs("fifo-strict", "a 0+100 1x8\n", Assumptions.NONE, 42);
    assertThat(ComparisonTable.of(List.of(runs, runs)))
        .endsWith("Jobs that got worse under fifo-strict on 2x8: none\n");
  }

  @Test
  void figures_are_means_over_the_seeds() throws InterruptedException {
    OutageSchedule often =
        new OutageSchedule(Optional.of(Duration.ofMinutes(5)), Duration.ofMinutes(2), List.of());
    String jobs =
        """
        a 0+600 2x8
        b 0+600 2x8
        """;
    List<RunResult> runs = runs("fifo-strict", jobs, Assumptions.NONE.with(often), 1, 2);
    double first = SummaryCalculation.of(runs.getFirst()).waitS().mean();
    double last = SummaryCalculation.of(runs.getLast()).waitS().mean();
    assertThat(SummaryTable.time(first)).isNotEqualTo(SummaryTable.time((first + last) / 2));
    String table = ComparisonTable.of(List.of(runs));
    assertThat(cells(table, "fifo-strict/consolidated").get(1))
        .isEqualTo(SummaryTable.time((first + last) / 2));
    assertThat(table).contains("All figures are means over 2 seeds.");
  }
}
