package dev.muster.simulator.run.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import dev.muster.simulator.baseline.BaselineRun;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.baseline.PolicyName;
import dev.muster.simulator.baseline.Semantics;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.ShortFleet;
import dev.muster.simulator.kit.Jobs;
import dev.muster.simulator.report.Summaries;
import dev.muster.simulator.run.JobProgress;
import dev.muster.simulator.run.Losses;
import dev.muster.simulator.run.Outages;
import dev.muster.simulator.run.Watch;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.Pace;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.Setup;
import dev.muster.simulator.trace.JobList;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes that fail so often that they are never all there.
final class NodeOutagesTest {
  private static final Setup SETUP = new Setup("test", "", "", 42, Instant.EPOCH, List.of());
  private static final Fleet FLEET = ShortFleet.parse("40x1").orElseThrow();

  /// Half of the nodes are away at any time.
  private static final Outages OFTEN =
      new Outages(Optional.of(Duration.ofHours(1)), Duration.ofHours(1), List.of());

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
  void aClassicPolicyDoesNotWaitForThemForEver() {
    var fifo = Semantics.of(NodeChoice.CONSOLIDATED);
    var policy = new BaselineRun.Policy(PolicyName.FIFO_STRICT, fifo, OFTEN);
    assertGivenUp(BaselineRun.of(SETUP, FLEET, new JobList(Jobs.of(JOBS)), policy, Watch.NONE));
  }

  @Test
  @Timeout(30)
  void theBrainDoesNotWaitForThemForEver() throws InterruptedException {
    var options = new MusterRun.Options(Duration.ZERO, Pace.FULL, Losses.NONE, OFTEN, Watch.NONE);
    assertGivenUp(
        MusterRun.of(SETUP, FLEET, new JobList(Jobs.of(JOBS)), Policies.DEFAULT, options));
  }

  /// Four nodes lose one every three hours, so two days without a failure do not come; the small
  /// job runs on the node that is left over.
  private static final Outages TOO_OFTEN =
      new Outages(Optional.of(Duration.ofHours(12)), Duration.ofHours(1), List.of());

  private static final String LONG =
      """
      big 0+864000 4x8
      small 0+60 1x8
      """;

  private static final Losses RARE =
      new Losses(Optional.of(Duration.ofDays(2)), Duration.ofSeconds(30));

  /// A run that would go on for ever is stopped.
  private static final Watch UNTIL = (_, millis) -> millis < Duration.ofDays(5_000).toMillis();

  private static RunResult classic(String jobs, Semantics semantics) {
    var policy = new BaselineRun.Policy(PolicyName.FIFO_SKIP, semantics, TOO_OFTEN);
    Fleet fleet = ShortFleet.parse("5x8").orElseThrow();
    return BaselineRun.of(SETUP, fleet, new JobList(Jobs.of(jobs)), policy, UNTIL);
  }

  private static void assertUnfinished(RunResult run) {
    assertThat(run.jobs())
        .map(JobOutcome::state)
        .containsExactly(JobOutcome.State.UNFINISHED, JobOutcome.State.DONE);
    assertThat(run.jobs().getFirst().preemptions()).isEqualTo(JobProgress.MOST_FAILURES);
    assertThat(Summaries.of(run).warnings())
        .singleElement()
        .asString()
        .contains("1,000 node failures in a row", ": big.", "--checkpoint");
  }

  @Test
  void aJobThatFailsBeforeEachCheckpointIsGivenUp() {
    assertUnfinished(classic(LONG, Semantics.of(NodeChoice.CONSOLIDATED).with(RARE)));
  }

  @Test
  void theBrainIsRidOfAJobThatFailsBeforeEachCheckpoint() throws InterruptedException {
    var options = new MusterRun.Options(Duration.ZERO, Pace.FULL, RARE, TOO_OFTEN, UNTIL);
    Fleet fleet = ShortFleet.parse("5x8").orElseThrow();
    assertUnfinished(
        MusterRun.of(SETUP, fleet, new JobList(Jobs.of(LONG)), Policies.DEFAULT, options));
  }

  @Test
  void whoGetsThroughNowAndThenIsDone() {
    var often = new Losses(Optional.of(Duration.ofHours(6)), Duration.ofSeconds(30));
    assertThat(classic(LONG, Semantics.of(NodeChoice.CONSOLIDATED).with(often)).jobs())
        .map(JobOutcome::state)
        .containsOnly(JobOutcome.State.DONE);
  }

  @Test
  void whoWaitsBehindOneThatLostItsNodeIsNotForgotten() throws InterruptedException {
    var once = new Outages.Window("node-00001", Duration.ofMinutes(10), Duration.ofMinutes(30));
    var outages = new Outages(Optional.empty(), Duration.ofHours(1), List.of(once));
    var options = new MusterRun.Options(Duration.ZERO, Pace.FULL, Losses.NONE, outages, Watch.NONE);
    Fleet fleet = ShortFleet.parse("1x8").orElseThrow();
    String jobs = "a 0+3600 1x8\nb 300+3600 1x8\n";
    RunResult run =
        MusterRun.of(SETUP, fleet, new JobList(Jobs.of(jobs)), Policies.DEFAULT, options);
    assertThat(run.jobs().getLast().endMillis()).isEqualTo(9_000_000);
  }
}
