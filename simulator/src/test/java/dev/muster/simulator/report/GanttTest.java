package dev.muster.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.fleet.ShortFleet;
import dev.muster.simulator.kit.Jobs;
import dev.muster.simulator.run.Pace;
import dev.muster.simulator.run.Recorder;
import dev.muster.simulator.run.Setup;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Bars lie on GPUs side by side.
final class GanttTest {
  private static final Setup SETUP = new Setup("", "", "", 0, Instant.EPOCH, List.of());

  private final Recorder recorder = new Recorder(ShortFleet.parse("1x4").orElseThrow(), Pace.FULL);

  private void start(int job, int gpus) {
    recorder.take(job, 0, 1000L * gpus);
    recorder.start(job);
  }

  @Test
  void whereNoFreeGpusLieSideBySideTheBarCoversThoseThatAreFreeSoonest() {
    Jobs.of("a 0+10 1x1\nb 0+2 1x1\nc 0+5 1x1\nd 0+2 1x1\ne 0+2 1x2").forEach(recorder::submit);
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

    List<String> firstGpus = new ArrayList<>();
    for (JsonNode bar : Gantt.of(recorder.result(SETUP, false)).path("bars")) {
      firstGpus.add(bar.path(1).asText());
    }
    assertThat(firstGpus).containsExactly("0", "1", "2", "3", "1");
  }
}
