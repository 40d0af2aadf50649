package dev.muster.simulator.run.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Recorded usage adds up, however many stays there were.
final class RecorderTest {
  /// A job that moves from node to node, 7 minutes on each, and is still there when the run ends.
  private static RunResult moving(int mostStays) {
    Fleet fleet = FleetNotation.parse("2x8:V100,2x8:P4").orElseThrow();
    Recorder recorder = new Recorder(fleet, SpeedModel.FULL, mostStays);
    int job = recorder.submit(TraceJobs.of("a 0+100 1x4").getFirst());
    recorder.take(job, 0, 4_000);
    recorder.start(job);
    for (int move = 1; move < 30; move++) {
      recorder.advance(420_000L * move);
      recorder.leave(job);
      recorder.take(job, move % 4, 4_000);
    }
    recorder.advance(420_000L * 30);
    return recorder.result(new SimulationSetup("", "", "", 0, Instant.EPOCH, List.of()), true);
  }

  @Test
  void gpu_hours_by_model_do_not_depend_on_the_recorded_stays() {
    RunResult result = moving(3);
    assertThat(result.spans()).hasSize(3);
    assertThat(result.droppedStays()).isEqualTo(27);
    List<Summary.Hours> models = SummaryCalculation.of(result).usage().byModel();
    assertThat(models).map(Summary.Hours::name).containsExactly("V100", "P4");
    assertThat(models.getFirst().gpuHours()).isCloseTo(4 * 16 * 7 / 60.0, within(1e-5));
    assertThat(models.getLast().gpuHours()).isCloseTo(4 * 14 * 7 / 60.0, within(1e-5));
  }

  @Test
  void usage_by_node_and_time_adds_up_to_the_gpu_time_of_the_job() {
    RunResult result = moving(3);
    double used = Arrays.stream(result.occupancy().gpuMillis(List.of(0, 1, 2, 3))).sum();
    assertThat(used).isCloseTo(4.0 * 30 * 420_000, within(1e-3));
    assertThat((double) result.jobs().getFirst().heldGpuMillis()).isCloseTo(used, within(1e-3));
  }

  /// The longest run time that a trace can tell.
  @Test
  void gpu_time_of_a_century_does_not_overflow() {
    Recorder recorder =
        new Recorder(FleetNotation.parse("1x8:V100").orElseThrow(), SpeedModel.FULL);
    int job = recorder.submit(TraceJobs.of("a 0+3155760000 1x8").getFirst());
    recorder.take(job, 0, 8_000);
    recorder.start(job);
    recorder.advance(3_155_760_000_000L);
    recorder.finish(job, 0);
    RunResult result =
        recorder.result(new SimulationSetup("", "", "", 0, Instant.EPOCH, List.of()), false);
    assertThat(result.jobs().getFirst().heldGpuMillis()).isEqualTo(25_246_080_000_000L);
    Summary summary = SummaryCalculation.of(result);
    assertThat(summary.gpuHours()).isEqualTo(7_012_800);
    assertThat(summary.usage().byModel().getFirst().gpuHours()).isCloseTo(7_012_800, within(1.0));
  }

  @Test
  void slot_has_the_usage_within_it() {
    Occupancy occupancy = new Occupancy(1);
    occupancy.add(0, 8_000, 500, 300_000);
    assertThat(occupancy.slotMillis()).isEqualTo(2_000);
    double[] used = occupancy.gpuMillis(List.of(0));
    assertThat(used[0]).isEqualTo(8 * 1_500);
    assertThat(used[149]).isEqualTo(8 * 2_000);
    assertThat(used[150]).isZero();
  }

  @Test
  void slots_reach_the_end_of_an_idle_run() {
    Recorder recorder = new Recorder(FleetNotation.parse("1x8").orElseThrow(), SpeedModel.FULL);
    recorder.advance(300_000);
    RunResult result =
        recorder.result(new SimulationSetup("", "", "", 0, Instant.EPOCH, List.of()), false);
    assertThat(result.occupancy().slotMillis()).isEqualTo(2_000);
  }

  @Test
  void models_of_a_job_are_those_of_its_nodes() {
    Recorder recorder =
        new Recorder(FleetNotation.parse("1x8:V100,1x8:P4").orElseThrow(), SpeedModel.FULL);
    TraceJobs.of("a 0+9 2x8\nb 0+9 1x8\nc 0+9 1x8").forEach(recorder::submit);
    recorder.take(0, 0, 8_000);
    recorder.take(0, 1, 8_000);
    recorder.start(0);
    recorder.advance(9_000);
    recorder.finish(0, 0);
    recorder.take(1, 1, 8_000);
    recorder.start(1);
    SimulationSetup setup = new SimulationSetup("", "", "", 0, Instant.EPOCH, List.of());
    assertThat(recorder.result(setup, false).jobs())
        .extracting(JobOutcome::models)
        .containsExactly("P4+V100", "P4", "");
  }
}
