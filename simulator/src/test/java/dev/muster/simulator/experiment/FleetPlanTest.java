package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import dev.muster.simulator.trace.TraceJob;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A plan handles jobs that no number of nodes helps.
final class FleetPlanTest {
  private static final String JOBS =
      """
      wide 0+100 4x8 dev
      huge 0+100 1x9 dev
      a 0+100 1x8 prod
      """;

  private static Scenario scenario(String policy) {
    boolean own = policy.equals(PolicyVariant.MUSTER);
    Optional<String> placement = own ? Optional.empty() : Optional.of("best-fit");
    return new Scenario(
        FleetNotation.parse("1x8").orElseThrow(),
        new InMemory(JOBS),
        PolicyVariant.of(policy, placement),
        Assumptions.NONE,
        42);
  }

  private static FleetPlan.Found seek(String policy, String goal) throws InterruptedException {
    return FleetPlan.search(
        scenario(policy),
        nodes -> FleetNotation.parse(nodes + "x8").orElseThrow(),
        PlanGoal.of(goal),
        64,
        new PlanBand.Draws(9, 1, RunObserver.NONE),
        RunObserver.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"muster", "fifo-skip"})
  void job_that_never_starts_ends_the_search(String policy) throws InterruptedException {
    FleetPlan.Found found = seek(policy, "max wait under 1s");
    assertThat(found.never()).map(TraceJob::id).contains("huge");
    assertThat(found.curve()).containsOnlyKeys(6); // the load is 49 GPUs
  }

  @ParameterizedTest
  @ValueSource(strings = {"muster", "fifo-skip"})
  void goal_of_another_queue_is_met(String policy) throws InterruptedException {
    assertThat(seek(policy, "max wait of queue prod under 1000s").nodes()).isPresent();
  }

  @Test
  void fewer_nodes_than_the_load_needs_can_meet_a_lenient_goal() throws InterruptedException {
    assertThat(seek("fifo-skip", "max wait of queue prod under 1000s").nodes()).contains(1);
  }

  @Test
  void no_started_job_has_no_wait() throws InterruptedException {
    Summary one = SummaryCalculation.of(scenario("fifo-skip").run(RunObserver.NONE));
    assertThat(PlanGoal.of("max wait of queue dev under 1s").of(one)).isEmpty();
    assertThat(PlanGoal.of("max wait of queue prod under 1s").of(one)).hasValue(0);
  }

  /// A job never takes less time than it runs.
  @ParameterizedTest
  @ValueSource(strings = {"NaN", "0.9", "-2", "Infinity", "two"})
  void slowdown_goal_below_one_is_refused(String limit) {
    assertThatThrownBy(() -> PlanGoal.of("p95 slowdown under " + limit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"%s\"".formatted(limit))
        .hasMessageContaining("is not a number of 1 or more");
  }
}
