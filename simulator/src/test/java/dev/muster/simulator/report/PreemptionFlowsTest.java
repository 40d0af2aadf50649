package dev.muster.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.record.EvictionRecord;
import dev.muster.simulator.run.record.Recorder;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The report shows preemptions by victim and preemptor.
final class PreemptionFlowsTest {
  private static final SimulationSetup SETUP =
      new SimulationSetup("", "", "", 0, Instant.EPOCH, List.of());
  private static final long HOUR = 3_600_000;

  private final Recorder recorder =
      new Recorder(FleetNotation.parse("4x8").orElseThrow(), SpeedModel.FULL);

  private void stop(int job, int by, long lost) {
    recorder.start(job);
    recorder.preempt(job, by, lost);
  }

  private String flows(String side) {
    RunResult run = recorder.result(SETUP, false);
    return PreemptionFlows.of(run).path(side).toString();
  }

  @Test
  void preemptions_from_one_group_to_another_are_added_up() {
    TraceJobs.of("a 0+9 1x8 prod\nb 0+9 1x4 test\nc 0+9 1x8 test").forEach(recorder::submit);
    stop(1, 0, HOUR);
    stop(2, 0, HOUR / 2);
    stop(1, EvictionRecord.NODE, 0);
    stop(0, EvictionRecord.NOBODY, 0);
    assertThat(flows("queue"))
        .isEqualTo(
            "[{\"by\":\"prod\",\"of\":\"test\",\"stops\":2,\"lost_gpu_hours\":1.5},"
                + "{\"by\":\"(lost node)\",\"of\":\"test\",\"stops\":1,\"lost_gpu_hours\":0.0},"
                + "{\"by\":\"(no single job)\",\"of\":\"prod\",\"stops\":1,\"lost_gpu_hours\":0.0}]");
    assertThat(flows("size")).contains("{\"by\":\"5-8\",\"of\":\"3-4\",\"stops\":1");
  }

  @Test
  void losses_of_nodes_are_counted_apart() {
    TraceJobs.of("a 0+9 1x8 prod\nb 0+9 1x4 test").forEach(recorder::submit);
    stop(1, 0, HOUR);
    stop(1, EvictionRecord.NODE, 0);
    stop(0, EvictionRecord.NODE, 0);
    Summary summary = SummaryCalculation.of(recorder.result(SETUP, false));
    assertThat(summary.preemptions()).isEqualTo(3);
    assertThat(summary.nodeLosses()).isEqualTo(2);
  }

  @Test
  void infrequent_groups_are_shown_as_others() {
    TraceJobs.of("a 0+9 1x8 prod").forEach(recorder::submit);
    for (int i = 1; i <= 12; i++) {
      int job = recorder.submit(TraceJobs.of("b%d 0+9 1x1 q%02d".formatted(i, i)).getFirst());
      IntStream.range(i, 15).forEach(_ -> stop(job, 0, 0));
    }
    assertThat(flows("queue"))
        .contains("\"of\":\"q10\"")
        .doesNotContain("\"of\":\"q11\"")
        .contains("\"of\":\"(others)\",\"stops\":7,");
  }
}
