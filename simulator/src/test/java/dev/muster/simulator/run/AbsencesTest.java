package dev.muster.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.engine.Policies;
import dev.muster.simulator.baseline.BaselineRun;
import dev.muster.simulator.baseline.Placement;
import dev.muster.simulator.baseline.PolicyName;
import dev.muster.simulator.baseline.Semantics;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.ShortFleet;
import dev.muster.simulator.kit.Jobs;
import dev.muster.simulator.trace.JobList;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes that fail so often that they are never all there.
final class AbsencesTest {
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
    var fifo = Semantics.of(Placement.CONSOLIDATED);
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
}
