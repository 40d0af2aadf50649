package dev.muster.simulator.run.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The lower bounds of small traces equal those worked out by hand.
final class LowerBoundsTest {
  @Test
  void without_contention_the_bound_is_the_run_time() {
    LowerBounds bounds =
        LowerBounds.of(
            TraceJobs.of(
                """
                a 0+100 1x1
                b 50+10 1x1
                """),
            64,
            1);
    assertThat(bounds).isEqualTo(new LowerBounds(55_000, 55_000, 100_000));
  }

  @Test
  void shortest_job_goes_first_when_all_gpus_are_shared() {
    // 8 GPUs: a has 80 s of the whole fleet, b 20. b comes at 10 and passes: b 10-30, a 0-10,
    // 30-100.
    LowerBounds bounds =
        LowerBounds.of(
            TraceJobs.of(
                """
                a 0+80 1x8
                b 10+20 1x8
                """),
            8,
            1);
    assertThat(bounds).isEqualTo(new LowerBounds(50_000, (100_000 + 20_000) / 2.0, 100_000));
    assertThat(bounds.fluidWaitMillis()).isEqualTo(10_000);
  }

  @Test
  void fast_gpus_lower_the_bounds() {
    assertThat(LowerBounds.of(TraceJobs.of("a 100+80 1x8\nb 100+40 1x8\n"), 8, 4))
        .isEqualTo(new LowerBounds(15_000, 20_000, 130_000));
  }

  @Test
  void gang_needs_only_its_minimum() {
    // Two members, of which one will do: one after the other on one GPU.
    TraceJob a =
        new TraceJob("a", "", "", 0, 100, 2, 1, TraceJobs.gpus(1), GangConstraints.NONE, 0, "");
    TraceJob b =
        new TraceJob("b", "", "", 0, 100, 2, 1, TraceJobs.gpus(1), GangConstraints.NONE, 0, "");
    assertThat(LowerBounds.of(List.of(a, b), 1, 1)).isEqualTo(new LowerBounds(100, 150, 200));
  }
}
