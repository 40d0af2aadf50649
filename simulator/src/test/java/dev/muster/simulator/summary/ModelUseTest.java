package dev.muster.simulator.summary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.state.Policies;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.engine.MusterRun;
import dev.muster.simulator.run.record.QueueBudgets;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Two nodes of two GPUs, a slow one that takes twice as long. Work is in hours at full speed.
final class ModelUseTest {
  private static final SpeedModel SPEED =
      new SpeedModel(new TreeMap<>(Map.of("SLOW", 0.5)), new TreeMap<>());

  @Test
  void job_that_accepts_a_faster_model_would_hold_gpus_for_less_time() throws Exception {
    ModelUse use = uses(on("a 0+3600 1x2", "SLOW", "FAST"), on("b 0+60 1x1", "FAST")).getLast();
    assertThat(use.model()).isEqualTo("SLOW");
    assertThat(use.gpuHours()).isEqualTo(4);
    assertThat(use.faster()).isEqualTo("FAST");
    assertThat(use.fasterGpuHours()).isEqualTo(2);
    assertThat(use.savedGpuHours()).isEqualTo(2);
  }

  @Test
  void job_that_wants_its_slow_model_saves_nothing() throws Exception {
    ModelUse use = uses(on("a 0+3600 1x2", "SLOW"), on("b 0+60 1x1", "FAST")).getLast();
    assertThat(use.faster()).isEmpty();
    assertThat(use.savedGpuHours()).isZero();
  }

  @Test
  void job_that_preferred_the_faster_model_in_vain_is_not_advised_to() throws Exception {
    ModelUse use = uses(on("b 0+7200 1x2", "FAST"), on("a 60+3600 1x2", "FAST", "SLOW")).getLast();
    assertThat(use.model()).isEqualTo("SLOW");
    assertThat(use.faster()).isEmpty();
  }

  @Test
  void saving_is_limited_by_idle_time_of_the_faster_model() throws Exception {
    // FAST is there for 2 h x 2 GPUs, and b holds one of them all the time and c the other for 1 h.
    ModelUse use =
        uses(
                on("a 0+3600 1x2", "SLOW", "FAST"),
                on("b 0+7200 1x1", "FAST"),
                on("c 0+3600 1x1", "FAST"))
            .getLast();
    assertThat(use.idleGpuHours()).isEqualTo(1);
    assertThat(use.attainableGpuHours()).isEqualTo(1);
  }

  @Test
  void fleet_of_one_model_has_no_uses() throws Exception {
    assertThat(uses(on("a 0+3600 1x2", "SLOW"))).isEmpty();
  }

  @Test
  void advice_names_the_move_and_the_option_to_try() throws Exception {
    assertThat(ModelAdvice.of(uses(on("a 0+3600 1x2", "SLOW", "FAST"), on("b 0+60 1x1", "FAST"))))
        .hasValue(
            "2-GPU jobs on SLOW would save up to 2.0 of 4.0 GPU-hours on FAST; FAST was idle for 4.0. Compare a run with --prefer 2:FAST.");
  }

  @Test
  void without_idle_time_the_advice_is_that_others_would_move_away() throws Exception {
    assertThat(ModelAdvice.of(uses(on("a 0+3600 1x2", "SLOW", "FAST"), on("b 0+7200 1x2", "FAST"))))
        .hasValue(
            "The faster models had no idle GPU-hours: a job that moves there makes another one move away.");
  }

  @Test
  void no_advice_where_no_model_is_faster() throws Exception {
    assertThat(ModelAdvice.of(uses(on("a 0+3600 1x2", "SLOW"), on("b 0+60 1x1", "FAST"))))
        .isEmpty();
  }

  private static TraceJob on(String line, String... models) {
    GangConstraints wished =
        GangConstraints.of(TopologyConstraint.NONE, new GpuModelPreference(List.of(models), false));
    return TraceJobs.of(line).getFirst().constrained(wished);
  }

  private static List<ModelUse> uses(TraceJob... jobs) throws InterruptedException {
    SimulationSetup setup =
        new SimulationSetup(
            "drawn", "muster", "muster", 42, Instant.EPOCH, QueueBudgets.NONE, SPEED, List.of(), 0);
    RunResult run =
        MusterRun.of(
            setup,
            FleetNotation.parse("1x2:FAST,1x2:SLOW").orElseThrow(),
            new JobList(List.of(jobs)),
            Policies.DEFAULT,
            new MusterRun.Options(
                Duration.ZERO,
                SPEED,
                PreemptionCost.NONE,
                new OutageSchedule(Optional.empty(), Duration.ofHours(1), List.of()),
                RunObserver.NONE));
    return SummaryCalculation.of(run).modelUse();
  }
}
