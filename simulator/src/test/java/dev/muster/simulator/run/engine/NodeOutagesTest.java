package dev.muster.simulator.run.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import dev.muster.simulator.baseline.BaselineOptions;
import dev.muster.simulator.baseline.BaselineRun;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.baseline.PolicyName;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.JobProgress;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.summary.SummaryCalculation;
import dev.muster.simulator.trace.JobList;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Runs end although nodes fail so often that they are never all available.
final class NodeOutagesTest {
  private static final SimulationSetup SETUP =
      new SimulationSetup("test", "", "", 42, Instant.EPOCH, List.of());
  private static final Fleet FLEET = FleetNotation.parse("40x1").orElseThrow();

  /// Half of the nodes are away at any time.
  private static final OutageSchedule OFTEN =
      new OutageSchedule(Optional.of(Duration.ofHours(1)), Duration.ofHours(1), List.of());

  /// The second comes when some are away, and needs all.
  private static final String JOBS =
      """
      some 0+60 5x1
      all 86400+60 40x1
      """;

  private static void assertGivenUp(RunResult run) {
    assertThat(run.jobs())
        .map(JobOutcome::state)
        .containsExactly(JobOutcome.State.DONE, JobOutcome.State.WAITING);
    assertThat(Duration.ofMillis(run.endMillis()))
        .isBetween(Duration.ofHours(24 + 100), Duration.ofHours(24 + 102));
  }

  @Test
  @Timeout(30)
  void classic_policy_does_not_wait_for_failed_nodes_forever() {
    var fifo = BaselineOptions.of(NodeChoice.CONSOLIDATED);
    var policy = new BaselineRun.Policy(PolicyName.FIFO_STRICT, fifo, OFTEN);
    assertGivenUp(
        BaselineRun.of(SETUP, FLEET, new JobList(TraceJobs.of(JOBS)), policy, RunObserver.NONE));
  }

  @Test
  @Timeout(30)
  void muster_does_not_wait_for_failed_nodes_forever() throws InterruptedException {
    var options =
        new MusterRun.Options(
            Duration.ZERO, SpeedModel.FULL, PreemptionCost.NONE, OFTEN, RunObserver.NONE);
    assertGivenUp(
        MusterRun.of(SETUP, FLEET, new JobList(TraceJobs.of(JOBS)), Policies.DEFAULT, options));
  }

  /// Four nodes lose one every three hours, so two days without a failure do not occur. The small
  /// job runs on the remaining node.
  private static final OutageSchedule TOO_OFTEN =
      new OutageSchedule(Optional.of(Duration.ofHours(12)), Duration.ofHours(1), List.of());

  private static final String LONG =
      """
      big 0+864000 4x8
      small 0+60 1x8
      """;

  private static final PreemptionCost RARE =
      PreemptionCost.of(Optional.of(Duration.ofDays(2)), Duration.ofSeconds(30));

  /// Stops a run that would never end.
  private static final RunObserver UNTIL =
      (_, millis) -> millis < Duration.ofDays(5_000).toMillis();

  private static RunResult classic(String jobs, BaselineOptions options) {
    var policy = new BaselineRun.Policy(PolicyName.FIFO_SKIP, options, TOO_OFTEN);
    Fleet fleet = FleetNotation.parse("5x8").orElseThrow();
    return BaselineRun.of(SETUP, fleet, new JobList(TraceJobs.of(jobs)), policy, UNTIL);
  }

  private static void assertUnfinished(RunResult run) {
    assertThat(run.jobs())
        .map(JobOutcome::state)
        .containsExactly(JobOutcome.State.UNFINISHED, JobOutcome.State.DONE);
    assertThat(run.jobs().getFirst().preemptions()).isEqualTo(JobProgress.MOST_FAILURES);
    assertThat(SummaryCalculation.of(run).warnings())
        .singleElement()
        .asString()
        .contains("1,000 node failures in a row", ": big.", "--checkpoint");
  }

  @Test
  void job_that_fails_before_each_checkpoint_is_given_up() {
    assertUnfinished(classic(LONG, BaselineOptions.of(NodeChoice.CONSOLIDATED).with(RARE)));
  }

  @Test
  void muster_gives_up_a_job_that_fails_before_each_checkpoint() throws InterruptedException {
    var options = new MusterRun.Options(Duration.ZERO, SpeedModel.FULL, RARE, TOO_OFTEN, UNTIL);
    Fleet fleet = FleetNotation.parse("5x8").orElseThrow();
    assertUnfinished(
        MusterRun.of(SETUP, fleet, new JobList(TraceJobs.of(LONG)), Policies.DEFAULT, options));
  }

  @Test
  void job_that_sometimes_reaches_a_checkpoint_finishes() {
    var often = PreemptionCost.of(Optional.of(Duration.ofHours(6)), Duration.ofSeconds(30));
    assertThat(classic(LONG, BaselineOptions.of(NodeChoice.CONSOLIDATED).with(often)).jobs())
        .map(JobOutcome::state)
        .containsOnly(JobOutcome.State.DONE);
  }

  @Test
  void job_waiting_behind_one_with_a_lost_node_is_not_forgotten() throws InterruptedException {
    var once =
        new OutageSchedule.Window("node-00001", Duration.ofMinutes(10), Duration.ofMinutes(30));
    var outages = new OutageSchedule(Optional.empty(), Duration.ofHours(1), List.of(once));
    var options =
        new MusterRun.Options(
            Duration.ZERO, SpeedModel.FULL, PreemptionCost.NONE, outages, RunObserver.NONE);
    Fleet fleet = FleetNotation.parse("1x8").orElseThrow();
    String jobs = "a 0+3600 1x8\nb 300+3600 1x8\n";
    RunResult run =
        MusterRun.of(SETUP, fleet, new JobList(TraceJobs.of(jobs)), Policies.DEFAULT, options);
    assertThat(run.jobs().getLast().endMillis()).isEqualTo(9_000_000);
  }
}
