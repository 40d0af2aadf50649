package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The times of a trace may start anywhere.
final class ArrivalsTest {
  private static final String LATE =
      """
      a 1700000000+36000 1x8
      b 1700018000+36000 1x8
      """;

  private static RunResult run(String policy) throws InterruptedException {
    PolicyVariant variant = PolicyVariant.of(policy, Optional.empty());
    return new Scenario(
            FleetNotation.parse("2x8").orElseThrow(),
            new InMemory(LATE),
            variant,
            Assumptions.NONE,
            42)
        .run(RunObserver.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"muster", "fifo-strict"})
  void times_count_from_the_first_submission(String policy) throws InterruptedException {
    RunResult run = run(policy);
    assertThat(run.jobs().getFirst().startMillis()).isZero();
    assertThat(run.setup().start()).isEqualTo(Instant.ofEpochSecond(1_700_000_000));
    assertThat(run.setup().assumptions())
        .contains("Times count from the first submission, which the trace has at 19675d22h13m20s.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"muster", "fifo-strict"})
  void figures_cover_the_time_with_jobs(String policy) throws InterruptedException {
    Summary summary = SummaryCalculation.of(run(policy));
    assertThat(summary.utilisation()).isEqualTo(0.666667);
    assertThat(summary.bounds().makespanS()).isEqualTo(54_000);
  }
}
