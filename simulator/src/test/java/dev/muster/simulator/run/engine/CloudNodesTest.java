package dev.muster.simulator.run.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.state.Policies;
import dev.muster.simulator.baseline.BaselineOptions;
import dev.muster.simulator.baseline.BaselineRun;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.baseline.PolicyName;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.Rental;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import dev.muster.simulator.trace.JobList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Cloud nodes join when gangs wait for them, are paid while needed, and leave.
final class CloudNodesTest {
  private static final SimulationSetup SETUP =
      new SimulationSetup("test", "muster", "muster", 42, Instant.EPOCH, List.of());

  private static final String FLEET =
      """
      apiVersion: simulator.muster.dev/v1
      kind: Fleet
      pools:
        - {name: own, count: 1, gpus: 8, pricePerHour: 1}
        - {name: cloud, count: 3, gpus: 8, joinDelay: 5m, leaveAfter: 10m, pricePerHour: 12}
      """;

  @TempDir private Path folder;

  private Fleet fleet(String yaml) throws IOException {
    return Fleets.of(Files.writeString(folder.resolve("fleet.yaml"), yaml).toString());
  }

  private RunResult run(String jobs) throws IOException, InterruptedException {
    return run(jobs, OutageSchedule.NONE);
  }

  private RunResult run(String jobs, OutageSchedule outages)
      throws IOException, InterruptedException {
    return run(FLEET, jobs, outages);
  }

  private RunResult run(String fleet, String jobs, OutageSchedule outages)
      throws IOException, InterruptedException {
    var none = MusterRun.Options.DEFAULT;
    var options =
        new MusterRun.Options(
            none.latency(), none.speed(), none.preemptionCost(), outages, none.observer());
    JobList trace = new JobList(TraceJobs.of(jobs));
    return MusterRun.of(SETUP, fleet(fleet), trace, Policies.DEFAULT, options);
  }

  private static List<Long> starts(RunResult run) {
    return run.jobs().stream().map(job -> Math.floorDiv(job.startMillis(), 1000L)).toList();
  }

  @Test
  void no_cloud_nodes_are_requested_while_own_nodes_suffice()
      throws IOException, InterruptedException {
    RunResult run = run("a 0+100 1x8");
    assertThat(run.rentals()).isEmpty();
    assertThat(SummaryCalculation.of(run).utilisation()).isEqualTo(1);
  }

  @Test
  void waiting_gang_starts_when_its_nodes_have_joined() throws IOException, InterruptedException {
    RunResult run =
        run(
            """
            a 0+7200 1x8
            b 3+7200 2x8
            """);
    assertThat(starts(run)).containsExactly(0L, 310L);
  }

  @Test
  void only_nodes_on_which_gangs_would_start_are_requested()
      throws IOException, InterruptedException {
    // Two jobs share a node; each node is asked for at 10 s, joins at 310 s, is used until 2110 s.
    RunResult run =
        run(
            """
            a 0+7200 1x8
            b 3+1800 1x4
            c 4+1800 1x4
            """);
    assertThat(run.rentals()).containsExactly(new Rental(1, 10_000, 310_000, 2_710_000));
  }

  @Test
  void joining_nodes_are_counted_on() throws IOException, InterruptedException {
    RunResult run =
        run(
            """
            a 0+7200 1x8
            b 3+1800 1x4
            c 200+1800 1x4
            """);
    assertThat(run.rentals()).hasSize(1);
    assertThat(starts(run)).containsExactly(0L, 310L, 310L);
  }

  @Test
  void nodes_needed_again_are_requested_again() throws IOException, InterruptedException {
    RunResult run =
        run(
            """
            a 0+7200 1x8
            b 0+60 1x8
            c 3600+60 1x8
            """);
    assertThat(starts(run)).containsExactly(0L, 300L, 3900L);
    assertThat(run.rentals())
        .containsExactly(
            new Rental(1, 0, 300_000, 960_000), new Rental(1, 3_600_000, 3_900_000, 4_560_000));
  }

  @Test
  void gang_that_no_pool_fits_makes_none_grow() throws IOException, InterruptedException {
    RunResult run =
        run(
            """
            a 0+7200 1x8
            b 3+60 5x8
            c 3+60 1x16
            """);
    assertThat(run.rentals()).isEmpty();
    assertThat(starts(run)).containsExactly(0L, -1L, -1L);
  }

  @Test
  void freed_own_nodes_are_used_together_with_cloud_nodes()
      throws IOException, InterruptedException {
    RunResult run =
        run(
            """
            a 0+7200 1x8
            b 3+60 4x8
            """);
    assertThat(starts(run)).containsExactly(0L, 7500L);
    assertThat(run.rentals()).hasSize(3);
  }

  @Test
  void node_stays_while_a_gang_waits_for_others_beside_it()
      throws IOException, InterruptedException {
    String slow =
        """
        apiVersion: simulator.muster.dev/v1
        kind: Fleet
        pools: [{name: cloud, count: 2, gpus: 8, joinDelay: 15m, leaveAfter: 10m}]
        """;
    RunResult run =
        run(
            slow,
            """
            a 0+3600 1x8
            b 600+3600 2x8
            """,
            OutageSchedule.NONE);
    // The first node is free from 4500 s on, when the second is asked for; it would leave at 5100.
    assertThat(starts(run)).containsExactly(900L, 5400L);
  }

  @Test
  void own_nodes_that_come_back_are_counted_on_again() throws IOException, InterruptedException {
    RunResult run =
        run(
            """
            a 0+60 1x1
            b 600+3600 4x8
            """,
            maintained("own-00001", 300, 3600));
    assertThat(starts(run)).containsExactly(0L, 4200L);
  }

  @Test
  void node_about_to_leave_is_used_first() throws IOException, InterruptedException {
    RunResult run =
        run(
            FLEET.replace("leaveAfter: 10m", "leaveAfter: 0s"),
            """
            a 0+7200 1x8
            b 0+60 1x8
            """,
            OutageSchedule.NONE);
    assertThat(starts(run)).containsExactly(0L, 300L);
    assertThat(run.rentals()).containsExactly(new Rental(1, 0, 300_000, 360_000));
  }

  @Test
  @Timeout(30)
  void nodes_that_never_join_are_not_requested_forever() throws IOException, InterruptedException {
    String apart =
        """
        apiVersion: simulator.muster.dev/v1
        kind: Fleet
        pools:
          - {name: a, count: 1, gpus: 8, joinDelay: 5m}
          - {name: b, count: 1, gpus: 8, joinDelay: 7m}
          - {name: c, count: 1, gpus: 8, joinDelay: 11m}
        """;
    Duration second = Duration.ofSeconds(1);
    var often = new OutageSchedule(Optional.of(second), second, List.of());
    RunResult run = run(apart, "a 0+60 3x8", often);
    assertThat(starts(run)).containsExactly(-1L);
  }

  private static OutageSchedule maintained(String node, int from, int seconds) {
    var window =
        new OutageSchedule.Window(node, Duration.ofSeconds(from), Duration.ofSeconds(seconds));
    return new OutageSchedule(Optional.empty(), Duration.ofHours(1), List.of(window));
  }

  @Test
  void failed_cloud_node_is_replaced() throws IOException, InterruptedException {
    OutageSchedule outage = maintained("cloud-00001", 1000, 60);
    RunResult run =
        run(
            """
            a 0+7200 1x8
            b 0+3600 1x8
            """,
            outage);
    assertThat(run.rentals())
        .containsExactly(
            new Rental(1, 0, 300_000, 1_000_000), new Rental(1, 1_000_000, 1_300_000, 4_800_000));
  }

  @Test
  void cost_covers_own_nodes_and_paid_time_of_cloud_nodes()
      throws IOException, InterruptedException {
    Summary summary =
        SummaryCalculation.of(
            run(
                """
                a 0+7200 1x8
                b 0+60 1x8
                """));
    assertThat(summary.cloud()).isEqualTo(new Summary.Cloud(1, 1, 0.266667, 3.2));
    assertThat(summary.cost()).isEqualTo(2 * 1 + 3.2);
  }

  @Test
  void classic_policies_refuse_cloud_nodes() throws IOException {
    Fleet fleet = fleet(FLEET);
    var easy = new BaselineRun.Policy(PolicyName.EASY, BaselineOptions.of(NodeChoice.CONSOLIDATED));
    assertThatThrownBy(() ->
            BaselineRun.of(
                SETUP, fleet, new JobList(TraceJobs.of("a 0+1 1x1")), easy, RunObserver.NONE))
        .hasMessageContaining("cloud nodes");
  }
}
