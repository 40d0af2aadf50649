package dev.muster.simulator.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.cli.option.ComparedPolicies;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.Variant;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.SummaryCalculation;
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

  private static String table(List<List<RunResult>> variants) {
    return ComparisonTable.of(variants.stream().map(Variant::of).toList());
  }

  /// Returns the cells of both tables about a variant, the first one with its name.
  private static List<String> cells(String table, String variant) {
    List<String> cells = new ArrayList<>();
    for (String row : table.lines().filter(line -> line.contains(variant)).limit(2).toList()) {
      cells.addAll(List.of(row.substring(row.indexOf(variant)).split(" +", -1)));
    }
    return cells;
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
        table(
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
    String table = table(List.of(scattered, nobody));
    assertThat(cells(table, "fifo-strict/scattered").subList(1, 6))
        .containsExactly("0.0s", "0.0s", "0.0s", "100.0s", "100.0s");
    assertThat(cells(table, "fifo-strict/best-fit").subList(1, 9))
        .containsExactly("-", "-", "-", "-", "-", "0.0%", "0", "1");
    assertThat(cells(table, "fifo-strict/best-fit").subList(10, 15))
        .containsExactly("-", "-", "-", "0/0", "1");
  }

  @Test
  void seed_without_a_finished_job_is_no_part_of_the_mean() throws InterruptedException {
    RunResult whole = runs("fifo-strict", "a 0+100 1x8\n", Assumptions.NONE, 1).getFirst();
    RunResult nothing = runs("fifo-strict", "a 0+100 1x12\n", Assumptions.NONE, 2).getFirst();
    String table = table(List.of(List.of(whole, nothing)));
    assertThat(cells(table, "fifo-strict/consolidated").subList(1, 6))
        .containsExactly("0.0s", "0.0s", "0.0s", "100.0s", "100.0s");
  }

  @Test
  void number_of_unfinished_jobs_is_shown_for_each_run() throws InterruptedException {
    List<RunResult> rejecting =
        runs("fifo-strict/best-fit", "a 0+9 1x12\nb 0+9 1x4\n", Assumptions.NONE, 1);
    String table = table(List.of(rejecting));
    assertThat(table.lines().findFirst().orElseThrow()).contains("stranded  not done");
    assertThat(cells(table, "fifo-strict/best-fit").get(8)).isEqualTo("1");
  }

  @Test
  void no_job_got_worse() throws InterruptedException {
    List<RunResult> runs = runs("fifo-strict", "a 0+100 1x8\n", Assumptions.NONE, 42);
    assertThat(table(List.of(runs, runs)))
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
    assertThat(FigureText.time(first)).isNotEqualTo(FigureText.time((first + last) / 2));
    String table = table(List.of(runs));
    assertThat(cells(table, "fifo-strict/consolidated").get(1))
        .isEqualTo(FigureText.time((first + last) / 2));
    assertThat(table).contains("All figures are means over 2 seeds.");
  }

  /// A wide job, and small ones that keep coming; skipping starts them first, strict order does
  /// not.
  private static final String WIDE =
      """
      first 0+1000 1x6 prod
      wide 1+1000 1x8 prod
      s1 2+990 1x2 dev
      s2 3+990 1x2 dev
      s3 990+2000 1x2 dev
      """;

  private static List<RunResult> on(String policy) throws InterruptedException {
    List<RunResult> runs = new ArrayList<>();
    runs.add(
        new Scenario(
                FleetNotation.parse("1x8").orElseThrow(),
                new InMemory(WIDE),
                ComparedPolicies.variant(policy),
                Assumptions.NONE,
                42)
            .run(RunObserver.NONE));
    return runs;
  }

  @Test
  void worst_size_and_queue_are_named_with_their_figure() throws InterruptedException {
    String table = table(List.of(on("fifo-skip")));
    assertThat(table).contains("worst size p95", "worst queue p95");
    assertThat(cells(table, "fifo-skip/consolidated").subList(10, 14))
        .containsExactly("5-8:", "50.0m", "prod:", "50.0m");
  }

  @Test
  void shorter_mean_with_a_longer_wait_of_a_size_is_said() throws InterruptedException {
    assertThat(table(List.of(on("fifo-strict"), on("fifo-skip"))))
        .contains(
            "fifo-skip on 1x8 has a shorter mean wait than fifo-strict on 1x8 (",
            "but a longer one for jobs of 5-8 GPUs (p95 50.0m, not 16.7m)");
  }

  @Test
  void longer_mean_needs_no_sentence() throws InterruptedException {
    assertThat(table(List.of(on("fifo-skip"), on("fifo-strict"))))
        .doesNotContain("shorter mean wait");
  }

  @Test
  void delayed_job_has_its_queue_and_a_reason() throws InterruptedException {
    assertThat(table(List.of(on("fifo-strict"), on("fifo-skip"))))
        .containsPattern(
            "wide +8.0 GPUs  prod  [+]33.3m: 3 later jobs started first \\(0 under the first\\), 3 of"
                + " them smaller");
  }

  @Test
  void cost_is_shown_where_nodes_have_prices() throws InterruptedException {
    RunResult priced =
        new Scenario(
                FleetNotation.parse("1x8").orElseThrow().priced(16),
                new InMemory("a 0+1800 1x8\nb 1800+1800 1x4\n"),
                ComparedPolicies.variant("fifo-skip"),
                Assumptions.NONE,
                42)
            .run(RunObserver.NONE);
    String table = table(List.of(List.of(priced)));
    assertThat(table).contains("cost  per GPU-hour");
    assertThat(cells(table, "fifo-skip/consolidated").subList(9, 11)).containsExactly("16", "2.67");
    assertThat(table(List.of(on("fifo-skip")))).doesNotContain("cost");
  }
}
