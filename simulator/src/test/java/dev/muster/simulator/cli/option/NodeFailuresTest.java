package dev.muster.simulator.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Failures have the units of the field: a rate by GPU-days, or a mean time of each node.
final class NodeFailuresTest {
  private static List<JobOutcome> under(OutageSchedule outages) throws InterruptedException {
    return scenario(outages).run(RunObserver.NONE).jobs();
  }

  private static Scenario scenario(OutageSchedule outages) {
    return new Scenario(
        FleetNotation.parse("3x8").orElseThrow(),
        new InMemory("a 0+90000 1x8\nb 0+90000 2x8\nc 60+90000 1x8\n"),
        PolicyVariant.of("fifo-skip", Optional.empty()),
        Assumptions.NONE.with(outages),
        7);
  }

  private static OutageSchedule failing(String text) {
    return NodeFailures.of("--failures", text).in(OutageSchedule.NONE);
  }

  @Test
  void node_of_eight_fails_eight_times_as_often_as_its_gpus() throws InterruptedException {
    assertThat(under(failing("1/4gpu-days"))).isEqualTo(under(failing("12h")));
    assertThat(under(failing("1/4node-days"))).isEqualTo(under(failing("4d")));
    assertThat(under(failing("2/8gpu-days"))).isEqualTo(under(failing("1/4gpu-days")));
    assertThat(under(failing("1/4gpu-days"))).isNotEqualTo(under(failing("never")));
  }

  @Test
  void goodput_is_the_share_with_progress() throws InterruptedException {
    Summary run = SummaryCalculation.of(scenario(failing("1/4gpu-days")).run(RunObserver.NONE));
    assertThat(run.nodeLosses()).isPositive().isEqualTo(run.preemptions());
    assertThat(run.goodput()).isBetween(0.0, 1.0);
    Summary none = SummaryCalculation.of(scenario(failing("never")).run(RunObserver.NONE));
    assertThat(none.goodput()).isEqualTo(1);
  }

  @Test
  void thousand_gpu_days_are_long() {
    assertThat(NodeFailures.of("--failures", "1/1000gpu-days").between())
        .contains(Duration.ofDays(1000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0/1000gpu-days", "1/0gpu-days", "1/x", "1/1000gpu-hours", "..1/2gpu-days"})
  void other_forms_are_refused(String text) {
    assertThatThrownBy(() -> NodeFailures.of("--failures", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("A rate is written like 1/1000gpu-days.");
  }
}
