package dev.muster.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.record.Recorder;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.summary.SummaryCalculation;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Bars of the Gantt chart lie beside each other.
final class GanttTest {
  private static final SimulationSetup SETUP =
      new SimulationSetup("", "", "", 0, Instant.EPOCH, List.of());

  private final Recorder recorder =
      new Recorder(FleetNotation.parse("1x4").orElseThrow(), SpeedModel.FULL);

  private void start(int job, int gpus) {
    recorder.take(job, 0, 1000L * gpus);
    recorder.start(job);
  }

  @Test
  void stay_on_scattered_gpus_has_several_bars() {
    TraceJobs.of("a 0+10 1x1\nb 0+2 1x1\nc 0+5 1x1\nd 0+2 1x1\ne 0+2 1x2")
        .forEach(recorder::submit);
    List.of(0, 1, 2, 3).forEach(job -> start(job, 1));
    recorder.advance(2_000);
    recorder.finish(1, 0);
    recorder.finish(3, 0);
    start(4, 2);
    recorder.advance(4_000);
    recorder.finish(4, 0);
    recorder.advance(5_000);
    recorder.finish(2, 0);
    recorder.advance(10_000);
    recorder.finish(0, 0);

    JsonNode gantt = Gantt.of(recorder.result(SETUP, false), 6_000);
    assertThat(gantt.path("stays").asInt()).isEqualTo(5);
    assertThat(gantt.path("bars"))
        .map(JsonNode::toString)
        .contains("[0,1.0,1.0,2.0,4.0,4,2.0]", "[0,3.0,1.0,2.0,4.0,4,2.0]")
        .hasSize(6);
  }

  @Test
  void bars_do_not_overlap_and_every_gpu_is_shown() throws InterruptedException {
    Random random = new Random(42);
    StringBuilder jobs = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      int gpus = 1 + random.nextInt(7);
      jobs.append("j%d %d+%d 1x%d\n".formatted(i, 5 * i, 1 + random.nextInt(90), gpus));
    }
    JsonNode gantt = Gantt.of(RecordedRuns.of("4x8", jobs.toString()), 6_000);
    Set<String> taken = new HashSet<>();
    double gpuSeconds = 0;
    for (JsonNode bar : gantt.path("bars")) {
      for (int gpu = bar.path(1).asInt(); gpu < bar.path(1).asInt() + bar.path(2).asInt(); gpu++) {
        for (int at = bar.path(3).asInt(); at < bar.path(4).asInt(); at++) {
          assertThat(gpu).isLessThan(8);
          assertThat(taken.add(bar.path(0) + "/" + gpu + "@" + at)).as(bar.toString()).isTrue();
          gpuSeconds++;
        }
      }
    }
    assertThat(gantt.path("bars").size())
        .isGreaterThan(gantt.path("stays").asInt()); // some in pieces
    assertThat(gpuSeconds)
        .isEqualTo(
            SummaryCalculation.of(RecordedRuns.of("4x8", jobs.toString())).gpuHours() * 3600,
            within(1.0));
  }
}
