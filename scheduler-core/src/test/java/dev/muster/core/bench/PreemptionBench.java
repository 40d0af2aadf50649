package dev.muster.core.bench;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.bench.StepBench.Cpu;
import dev.muster.core.bench.StepBench.Scenario;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.engine.Engine;
import dev.muster.core.kit.BusyCluster;
import dev.muster.core.kit.BusyCluster.Room;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;

/// Measures the tick that finds victims for an urgent gang of 8 to 1,024 GPUs. The cluster is 90 %
/// full with gangs of lower priority.
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PreemptionBench {
  private static final Engine ENGINE =
      new Engine(
          Policies.DEFAULT
              .with(new BackfillSettings(0, Duration.ofMinutes(30)))
              .with(new PriorityPreemptionPolicy(PreemptionPolicy.Mode.ENFORCE)));
  private static final int VARIETY = 24;
  private static final long SEED = 7;

  /// Urgent gangs that were just refused for lack of capacity.
  @org.openjdk.jmh.annotations.State(Scope.Thread)
  public static class Pressed {
    /// Number of GPUs.
    @Param({"1000", "10000", "100000"})
    public int gpus;

    List<Scenario> ticks = List.of();
    private int turn;

    /// Builds the cluster once for all steps.
    @Setup
    public void build() {
      BusyCluster cluster = new BusyCluster(StepBench.rounded(gpus), 0, Room.SCATTERED, SEED);
      State state = cluster.state(ENGINE);
      ticks = new ArrayList<>();
      int planned = 0;
      for (List<Event> gang : cluster.urgentArrivals(VARIETY)) {
        State at = state;
        for (Event event : gang) {
          at = ENGINE.step(at, event).after();
        }
        Scenario tick = new Scenario(at, new Event.Tick(BusyCluster.NOW.plusSeconds(1)), ENGINE);
        planned +=
            tick.step().decisions().stream().anyMatch(Decision.Preempt.class::isInstance) ? 1 : 0;
        ticks.add(tick);
      }
      System.out.printf("%d of %d urgent gangs have victims%n", planned, VARIETY);
    }
  }

  /// Victims are found, or it turns out that there are none.
  @Benchmark
  public Step preempted(Pressed pressed, Cpu cpu) {
    pressed.turn = (pressed.turn + 1) % pressed.ticks.size();
    return cpu.timed(pressed.ticks.get(pressed.turn));
  }
}
